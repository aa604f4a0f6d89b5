package io.firn.crashlab;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.CompactionResult;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.TopicOptions;
import io.firn.crashlab.ReferenceBatches.Content;
import io.firn.host.HostedAppender;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.medium.MediumFile;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.agrona.concurrent.CachedEpochClock;

/**
 * A log of a few segments with batches of every compression, the places of the batches on the
 * medium, and a copy from the time when the log was half as long.
 *
 * <p>It finds the batches by code of its own on purpose, and does not use {@code BatchFormat}: an
 * oracle that shares code with what it judges proves nothing. For the same reason it knows by
 * itself what compaction leaves.
 */
final class ReferenceLog {
    static final String TOPIC = "t";
    static final int LONGEST_VALUE = 64;
    static final int MOST_IN_BATCH = 3;
    private static final int BATCHES = 210;
    private static final int ROLL_EVERY = 60;

    /** The first compaction; what was sealed since is left as it is by the second one's segment. */
    private static final int[] COMPACT_AFTER = {59, 119};

    private static final int ALIGNMENT = 2 << 20;
    private static final int FIXED_HEADER = 61;
    private static final int LEAST_FILLERS = 5;
    private static final int[] GAP_AFTER = {40, 130, 190};
    private static final int GAP = 7;
    private static final int BATCHES_OF_EPOCH = 25;
    private static final int EPOCH = 12;
    private static final long START_MS = 1_700_000_000_000L;
    private static final Path ROOT = Path.of("/sim");

    /** How its batches came into it. */
    enum Form {
        APPENDED,

        /** The same, and compaction has rewritten the older segments. */
        REWRITTEN,

        /** As the replica of another log, with leader epochs and gaps. */
        REPLICATED
    }

    final Media media;
    final Form form;
    final SimulatedFileMedium medium;

    /** Records, by offset; null where compaction has removed one. */
    final List<Content> records = new ArrayList<>();

    final List<Stored> batches = new ArrayList<>();
    final CachedEpochClock clock = new CachedEpochClock();
    SimulatedFileMedium half;
    private final List<SegmentPlace> segments;

    /** The place of a batch on the medium. */
    record Stored(Path file, int position, int length, long baseOffset, long nextOffset) {
        /** Whether it has no records. */
        boolean isFiller() {
            return length == FIXED_HEADER;
        }
    }

    ReferenceLog(Media media, Form form) throws IOException {
        this.media = media;
        this.form = form;
        this.medium = media.empty();
        clock.update(START_MS);
        SeededIds.seed(1);
        List<List<Content>> contents = new ArrayList<>();
        for (int i = 0; i < BATCHES; i++) {
            contents.add(ReferenceBatches.records(i, MOST_IN_BATCH, isRewritten()));
        }
        List<ByteBuffer> encoded = ReferenceBatches.encode(contents, START_MS);
        addRecords(contents);
        try (LogStore store = media.open(medium, clock, 0)) {
            Partition partition = store.createTopic(TOPIC, options()).partition(0);
            if (form == Form.REPLICATED) {
                replicate(store, encoded);
            } else {
                append(store, partition, encoded);
            }
            store.openTopic(TOPIC).cursor("c").commit(0, 3);
            segments = store.snapshot().partitions().get(0).segments();
            if (records.size() != partition.durableOffset()) {
                throw new AssertionError(records.size() + ", " + partition.durableOffset());
            }
        }
        for (Path file : files()) {
            locate(file);
        }
        batches.sort(Comparator.comparingLong(Stored::baseOffset));
        checkForm();
    }

    private void addRecords(List<List<Content>> contents) {
        for (int i = 0; i < BATCHES; i++) {
            records.addAll(contents.get(i));
            if (hasGapAfter(i)) {
                records.addAll(Collections.nCopies(GAP, null));
            }
        }
    }

    private boolean hasGapAfter(int batch) {
        return form == Form.REPLICATED && IntStream.of(GAP_AFTER).anyMatch(after -> after == batch);
    }

    private boolean isRewritten() {
        return form == Form.REWRITTEN;
    }

    private TopicOptions options() {
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(64 * 1024)
                        .withRollAge(Duration.ofSeconds(1));
        return switch (form) {
            case APPENDED -> options;
            case REWRITTEN -> // only on request
                    options.withCleanup(CleanupPolicy.COMPACT).withMinDirtyRatio(1);
            case REPLICATED -> options.withReplicated(true);
        };
    }

    /** Fails when the log is not what its users expect. */
    private void checkForm() {
        long offset = 0;
        for (Stored each : batches) {
            if (each.baseOffset != offset) {
                throw new AssertionError("no batch begins at offset " + offset + ": " + each);
            }
            offset = each.nextOffset;
        }
        long fillers = batches.stream().filter(Stored::isFiller).count();
        boolean isRight =
                switch (form) {
                    case APPENDED -> fillers == 0 && batches.size() == BATCHES;
                    case REWRITTEN -> fillers >= LEAST_FILLERS && batches.size() > BATCHES / 2;
                    case REPLICATED ->
                            fillers == GAP_AFTER.length && batches.size() == BATCHES + fillers;
                };
        if (!isRight || offset != records.size() || segments.size() < 3) {
            throw new AssertionError(
                    batches.size() + " batches, " + fillers + " fillers, " + segments);
        }
    }

    /** Whether a batch is in a sealed segment. */
    boolean isSealed(Stored batch) {
        return batch.baseOffset() < segments.get(segments.size() - 1).baseOffset();
    }

    private void append(LogStore store, Partition partition, List<ByteBuffer> encoded) {
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < BATCHES; i++) {
                HostedAppender.of(appender).appendBatch(encoded.get(i).duplicate());
                after(i, store);
            }
        }
    }

    private void replicate(LogStore store, List<ByteBuffer> encoded) {
        try (ReplicaAppender appender =
                HostedPartition.of(store.openTopic(TOPIC).partition(0)).openReplicaAppender()) {
            for (int i = 0; i < BATCHES; i++) {
                ByteBuffer batch = encoded.get(i);
                batch.putLong(0, appender.nextOffset()).putInt(EPOCH, i / BATCHES_OF_EPOCH);
                while (appender.append(batch.duplicate()) == 0) {
                    store.doWork();
                }
                if (hasGapAfter(i)) {
                    appender.fillTo(appender.nextOffset() + GAP);
                }
                after(i, store);
            }
            appender.force();
        }
    }

    /** Rolls, compacts or copies the log after a batch, when it is time. */
    private void after(int batch, LogStore store) {
        if (batch % ROLL_EVERY == ROLL_EVERY - 1) {
            work(store);
        }
        if (isRewritten() && IntStream.of(COMPACT_AFTER).anyMatch(after -> after == batch)) {
            compact(store);
        }
        if (batch == BATCHES / 2) {
            half = medium.kill();
        }
    }

    private void work(LogStore store) {
        for (int pass = 0; pass < 4; pass++) {
            clock.advance(1_000);
            store.doWork();
        }
    }

    /** Compacts what is sealed; the records that have a later one there are gone then. */
    private void compact(LogStore store) {
        CompactionResult result = store.compact(TOPIC, 0);
        work(store);
        if (result.compactedTo() != result.endOffset() || !result.skipped().isEmpty()) {
            throw new AssertionError(result);
        }
        Map<String, Integer> latest = new HashMap<>();
        for (int offset = 0; offset < result.compactedTo(); offset++) {
            if (records.get(offset) != null) {
                Integer before = latest.put(new String(records.get(offset).key(), UTF_8), offset);
                if (before != null) {
                    records.set(before, null);
                }
            }
        }
    }

    private void locate(Path file) throws IOException {
        byte[] bytes = bytes(medium, file);
        for (int start = 0; start < bytes.length; start += ALIGNMENT) {
            List<Stored> found = new ArrayList<>();
            int at = start;
            for (int length; (length = ReferenceBatches.length(bytes, at)) > 0; at += length) {
                ByteBuffer header = ByteBuffer.wrap(bytes, at, FIXED_HEADER).slice();
                long base = header.getLong(0);
                found.add(new Stored(file, at, length, base, base + header.getInt(23) + 1));
            }
            // Otherwise it is what is left in a block of a segment that was replaced.
            if (!found.isEmpty() && isCurrent(found, at - start)) {
                batches.addAll(found);
            }
        }
    }

    private boolean isCurrent(List<Stored> found, int bytes) {
        long base = found.get(0).baseOffset;
        long end = found.get(found.size() - 1).nextOffset;
        return segments.stream()
                .anyMatch(
                        each ->
                                each.baseOffset() == base
                                        && each.endOffset() == end
                                        && each.bytes() == bytes);
    }

    /** Returns the positions of a file's bytes that are not zero and not in a batch. */
    BitSet others(Path file) throws IOException {
        byte[] bytes = bytes(medium, file);
        BitSet others = new BitSet();
        for (int i = 0; i < bytes.length; i++) {
            others.set(i, bytes[i] != 0);
        }
        for (Stored each : batches) {
            if (each.file.equals(file)) {
                others.clear(each.position, each.position + each.length);
            }
        }
        return others;
    }

    static byte[] bytes(SimulatedFileMedium medium, Path file) throws IOException {
        try (MediumFile open = medium.open(file, false)) {
            return bytes(medium, file, 0, (int) open.size());
        }
    }

    /** Returns a part of a file; zeros for positions after its end. */
    static byte[] bytes(SimulatedFileMedium medium, Path file, int at, int length)
            throws IOException {
        try (MediumFile open = medium.open(file, false)) {
            byte[] bytes = new byte[length];
            open.read(at, bytes, 0, length);
            return bytes;
        }
    }

    List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        collect(ROOT, files);
        return files;
    }

    private void collect(Path path, List<Path> files) throws IOException {
        for (String name : medium.list(path)) {
            Path child = path.resolve(name);
            try {
                collect(child, files);
            } catch (NotDirectoryException e) {
                files.add(child);
            }
        }
    }
}
