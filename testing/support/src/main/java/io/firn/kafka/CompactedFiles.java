package io.firn.kafka;

import io.firn.StoredRecord;
import io.firn.format.BatchFormat;
import io.firn.format.FillerBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter.BatchRetention;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter.BatchRetentionResult;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/**
 * Takes records out of the files of a closed store, as compaction does. Kafka's cleaner thins the
 * batches; a batch with a tombstone gets a delete horizon. Fillers take the place of batches that
 * lose all records. Every segment is a sealed one afterwards.
 */
public final class CompactedFiles {
    /** The delete horizon of all batches with tombstones, in ms. */
    public static final long HORIZON_MS = 1_900_000_000_000L;

    private static final String LOG = ".log";

    private CompactedFiles() {}

    /** Returns the directories of a tier's partitions. */
    public static List<Path> partitionsOf(Path tier) throws IOException {
        try (Stream<Path> all = Files.walk(tier, 2)) {
            return all.filter(each -> each.getParent() != null)
                    .filter(each -> each.getFileName().toString().matches("[0-9]+"))
                    .sorted()
                    .toList();
        }
    }

    /**
     * Rewrites the segments of a partition.
     *
     * @param directory the directory of the partition in a tier
     * @return the records that stay
     */
    public static List<StoredRecord> rewrite(Path directory, Predicate<StoredRecord> keep)
            throws IOException {
        int partition = Integer.parseInt(directory.getFileName().toString());
        Map<Long, ByteBuffer> segments = new TreeMap<>();
        for (Path file : filesIn(directory)) {
            String name = file.getFileName().toString();
            if (name.endsWith(LOG) || name.endsWith(".active")) {
                ByteBuffer batches = batchesOf(ByteBuffer.wrap(Files.readAllBytes(file)));
                if (batches.hasRemaining()) {
                    segments.put(batches.getLong(0), batches);
                }
            }
            Files.delete(file);
        }
        List<StoredRecord> left = new ArrayList<>();
        for (Map.Entry<Long, ByteBuffer> each : segments.entrySet()) {
            ByteBuffer rewritten = rewrite(each.getValue(), partition, keep);
            left.addAll(KafkaBatches.decode(partition, rewritten.duplicate()));
            byte[] bytes = new byte[rewritten.remaining()];
            rewritten.get(bytes);
            Files.write(directory.resolve(name(each.getKey())), bytes);
        }
        return left;
    }

    /**
     * Adds a segment of nothing but fillers to a partition whose segments are all sealed.
     *
     * @param from the offset after the last segment
     * @param count how many fillers
     * @param offsetsEach how many offsets each of them covers
     * @return the offset after the new segment
     */
    public static long addFillers(Path directory, long from, int count, int offsetsEach)
            throws IOException {
        ByteBuffer fillers = ByteBuffer.allocate(count * FillerBatch.LENGTH);
        long next = from;
        for (int i = 0; i < count; i++) {
            fill(fillers, next, next + offsetsEach, 1);
            next += offsetsEach;
        }
        Files.write(directory.resolve(name(from)), fillers.array());
        return next;
    }

    private static String name(long baseOffset) {
        return String.format(Locale.ROOT, "%020d%s", baseOffset, LOG);
    }

    private static List<Path> filesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    /** Cuts off what follows the last batch of an active file. */
    private static ByteBuffer batchesOf(ByteBuffer file) {
        int at = 0;
        while (file.capacity() - at >= BatchFormat.HEADER_LENGTH
                && file.getInt(at + BatchFormat.LENGTH) > 0
                && file.get(at + BatchFormat.MAGIC) == BatchFormat.MAGIC_2) {
            at += BatchFormat.size(file, at);
        }
        return file.slice(0, at);
    }

    /** Returns batches without some of their records, and with fillers. */
    public static ByteBuffer rewrite(
            ByteBuffer batches, int partition, Predicate<StoredRecord> keep) {
        ByteBuffer thinned = thinned(batches.duplicate(), partition, keep);
        ByteBuffer target = ByteBuffer.allocate(batches.remaining() + thinned.remaining());
        long end = -1;
        long gap = -1;
        int epoch = 0;
        for (MutableRecordBatch old :
                MemoryRecords.readableRecords(batches.duplicate()).batches()) {
            end = old.lastOffset() + 1;
            boolean stays =
                    thinned.hasRemaining()
                            && thinned.getLong(thinned.position()) == old.baseOffset();
            if (!stays) {
                if (gap < 0) {
                    gap = old.baseOffset();
                    epoch = old.partitionLeaderEpoch();
                }
                continue;
            }
            fill(target, gap, old.baseOffset(), epoch);
            gap = -1;
            int size = BatchFormat.size(thinned, thinned.position());
            target.put(thinned.slice(thinned.position(), size));
            thinned.position(thinned.position() + size);
        }
        fill(target, gap, end, epoch);
        return target.flip();
    }

    private static void fill(ByteBuffer target, long from, long to, int epoch) {
        if (from >= 0) {
            FillerBatch.put(target, target.position(), from, to, epoch);
            target.position(target.position() + FillerBatch.LENGTH);
        }
    }

    private static ByteBuffer thinned(
            ByteBuffer batches, int partition, Predicate<StoredRecord> keep) {
        RecordFilter filter =
                new RecordFilter(HORIZON_MS, 0) {
                    @Override
                    protected BatchRetentionResult checkBatchRetention(RecordBatch batch) {
                        return new BatchRetentionResult(BatchRetention.DELETE_EMPTY, false);
                    }

                    @Override
                    protected boolean shouldRetainRecord(RecordBatch batch, Record record) {
                        return keep.test(KafkaBatches.stored(partition, record));
                    }
                };
        ByteBuffer target = ByteBuffer.allocate(batches.remaining());
        return MemoryRecords.readableRecords(batches)
                .filterTo(filter, target, BufferSupplier.NO_CACHING, Integer.MAX_VALUE)
                .outputBuffer()
                .flip();
    }
}
