package io.firn.crashlab;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Compression;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.TopicOptions;
import io.firn.medium.MediumFile;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.agrona.concurrent.CachedEpochClock;

/**
 * A log of a few segments with batches of every compression, the places of the batches on the
 * medium, and a copy from the time when the log was half as long.
 *
 * <p>It finds the batches by code of its own on purpose, and does not use {@code BatchFormat}: an
 * oracle that shares code with what it judges proves nothing.
 */
final class ReferenceLog {
    static final String TOPIC = "t";
    static final int LONGEST_VALUE = 64;
    static final int MOST_IN_BATCH = 3;
    private static final int BATCHES = 210;
    private static final int PER_COMPRESSION = 3;
    private static final int ROLL_EVERY = 60;
    private static final int ALIGNMENT = 2 << 20;
    private static final int HEADER = 61;
    private static final long START_MS = 1_700_000_000_000L;
    private static final Path ROOT = Path.of("/sim");

    final Media media;
    final SimulatedFileMedium medium;

    /** Values, by offset. */
    final List<byte[]> records = new ArrayList<>();

    final List<Stored> batches = new ArrayList<>();
    final CachedEpochClock clock = new CachedEpochClock();
    SimulatedFileMedium half;
    private long unsealedFrom;

    /** The place of a batch on the medium. */
    record Stored(Path file, int position, int length, long baseOffset, long nextOffset) {}

    ReferenceLog(Media media) throws IOException {
        this.media = media;
        this.medium = media.empty();
        clock.update(START_MS);
        SeededIds.seed(1);
        List<ByteBuffer> encoded = encode();
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(64 * 1024)
                        .withRollAge(Duration.ofSeconds(1));
        try (LogStore store = media.open(medium, clock, 0)) {
            Partition partition = store.createTopic(TOPIC, options).partition(0);
            append(store, partition, encoded);
            store.openTopic(TOPIC).cursor("c").advance(0, 3);
            List<SegmentPlace> segments = store.snapshot().partitions().get(0).segments();
            if (segments.size() < 4) {
                throw new AssertionError(segments);
            }
            unsealedFrom = segments.get(segments.size() - 1).baseOffset();
        }
        for (Path file : files()) {
            locate(file);
        }
        if (batches.size() != BATCHES) {
            throw new AssertionError(batches.size() + " batches found, but " + BATCHES + " stored");
        }
    }

    /** Whether a batch is in a sealed segment. */
    boolean isSealed(Stored batch) {
        return batch.baseOffset() < unsealedFrom;
    }

    private void append(LogStore store, Partition partition, List<ByteBuffer> encoded) {
        try (Appender appender = partition.openSharedAppender()) {
            for (int i = 0; i < BATCHES; i++) {
                appender.appendBatch(encoded.get(which(i, encoded)).duplicate());
                if (i % ROLL_EVERY == ROLL_EVERY - 1) {
                    for (int pass = 0; pass < 4; pass++) {
                        clock.advance(1_000);
                        store.doWork();
                    }
                }
                if (i == BATCHES / 2) {
                    half = medium.kill();
                }
            }
        }
        for (int i = 0; i < BATCHES; i++) {
            for (String value : values(which(i, encoded))) {
                records.add(value.getBytes(StandardCharsets.UTF_8));
            }
        }
        if (records.size() != partition.durableOffset()) {
            throw new AssertionError(records.size() + " sent, " + partition.durableOffset());
        }
    }

    /** Chooses the batch to append: mostly uncompressed ones, which are fast to read. */
    private static int which(int i, List<ByteBuffer> encoded) {
        return i % 5 == 4 ? i / 5 % encoded.size() : i % PER_COMPRESSION;
    }

    private static List<String> values(int batch) {
        int count = 1 + batch % MOST_IN_BATCH;
        List<String> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add("value " + i + " of the batch " + batch);
        }
        return values;
    }

    /** Returns batches of every compression, as a store writes them. */
    private static List<ByteBuffer> encode() throws IOException {
        SimulatedFileMedium scratch = Media.FILES.empty();
        CachedEpochClock still = new CachedEpochClock();
        still.update(START_MS);
        try (LogStore store = Media.FILES.open(scratch, still, 0)) {
            int number = 0;
            for (Compression each : Compression.values()) {
                TopicOptions options =
                        TopicOptions.defaults().withSegmentBytes(64 * 1024).withCompression(each);
                String name = "t" + each;
                try (Appender appender =
                        store.createTopic(name, options).partition(0).openAppender()) {
                    for (int i = 0; i < PER_COMPRESSION; i++) {
                        Batch batch = appender.newBatch();
                        values(number++)
                                .forEach(v -> batch.add(v.getBytes(StandardCharsets.UTF_8)));
                        appender.append(batch);
                    }
                }
            }
            List<ByteBuffer> encoded = new ArrayList<>();
            for (Compression each : Compression.values()) {
                String id = store.openTopic("t" + each).id().toString();
                Path directory = Path.of("/sim/segments", id, "0");
                for (String name : scratch.list(directory)) {
                    byte[] bytes = bytes(scratch, directory.resolve(name));
                    for (int at = 0; length(bytes, at) > 0; at += length(bytes, at)) {
                        int to = at + length(bytes, at);
                        encoded.add(ByteBuffer.wrap(Arrays.copyOfRange(bytes, at, to)));
                    }
                }
            }
            if (encoded.size() != PER_COMPRESSION * Compression.values().length) {
                throw new AssertionError(encoded.size() + " batches");
            }
            return encoded;
        }
    }

    /** Returns the length of the batch at a position; 0 if there is none. */
    private static int length(byte[] bytes, int at) {
        if (at + HEADER > bytes.length) {
            return 0;
        }
        ByteBuffer header = ByteBuffer.wrap(bytes, at, HEADER).slice();
        int length = 12 + header.getInt(8);
        boolean isBatch = header.get(16) == 2 && length >= HEADER && at + length <= bytes.length;
        return isBatch ? length : 0;
    }

    private void locate(Path file) throws IOException {
        byte[] bytes = bytes(medium, file);
        for (int start = 0; start < bytes.length; start += ALIGNMENT) {
            int at = start;
            for (int length; (length = length(bytes, at)) > 0; at += length) {
                ByteBuffer header = ByteBuffer.wrap(bytes, at, HEADER).slice();
                long base = header.getLong(0);
                batches.add(new Stored(file, at, length, base, base + header.getInt(23) + 1));
            }
        }
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
