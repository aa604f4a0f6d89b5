package io.firn.bench;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.CleanupPolicy;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.Partition;
import io.firn.PartitionReader.CompactionResult;
import io.firn.Survives;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

/** Compacts a partition with more keys than the memory for them has room for. */
final class CompactedKeys {
    private static final int IN_BATCH = 500;

    /** Of these, 16 MiB are for batches. */
    private static final int MEMORY_BYTES = 48 << 20;

    private static final int KEY_BYTES = 32 << 20;

    /** The last records supersede the first ones; one of so many. */
    private static final int UPDATED_SHARE = 10;

    private final PrintStream out;
    private final Path place;
    private final long keys;
    private String arrays = "";

    CompactedKeys(PrintStream out, Path place, long keys) {
        this.out = out;
        this.place = place;
        this.keys = keys;
    }

    /** Returns whether exactly the records that are superseded were removed. */
    boolean run() throws Exception {
        Path directory = Places.make(place);
        try (LogStore store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("segments")))
                        .compactionMemory(MEMORY_BYTES)
                        .open()) {
            TopicOptions options =
                    TopicOptions.defaults()
                            .withMinimumClass(Survives.PROCESS_CRASH)
                            .withCleanup(CleanupPolicy.COMPACT)
                            .withMinDirtyRatio(1); // only on request
            Partition partition = store.createTopic("keys", options).partition(0);
            // While a part of it is clean, the store leaves the rest to us.
            try (Appender appender = partition.openAppender()) {
                fillSegment(partition, appender);
            }
            store.compact("keys", 0);
            fill(partition);
            return compact(store);
        } finally {
            Places.delete(directory);
        }
    }

    private void fill(Partition partition) {
        long updates = keys / UPDATED_SHARE;
        try (Appender appender = partition.openAppender()) {
            for (long i = 0; i < keys + updates; i += IN_BATCH) {
                Batch batch = appender.newBatch();
                for (long k = i; k < Math.min(i + IN_BATCH, keys + updates); k++) {
                    batch.add(bytes("key-" + k % keys), bytes("value " + k));
                }
                appender.append(batch);
            }
            // The segment that is written to is not compacted, so the last updates go on.
            long end = partition.nextOffset();
            for (long rolls = partition.metrics().rolls(); partition.metrics().rolls() == rolls; ) {
                appender.append(bytes("filling"), new byte[1 << 19]);
            }
            out.printf(
                    Locale.ROOT,
                    "%,d records of %,d keys, %,d bytes; %,d bytes for keys%n",
                    end,
                    keys,
                    partition.metrics().bytes(),
                    KEY_BYTES);
        }
    }

    private static void fillSegment(Partition partition, Appender appender) {
        for (long rolls = partition.metrics().rolls(); partition.metrics().rolls() == rolls; ) {
            appender.append(bytes("filling"), new byte[1 << 19]);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private boolean compact(LogStore store) {
        long removed = 0;
        int runs = 0;
        CompactionResult result;
        do {
            boolean[] looked = {false};
            MoveControl control =
                    (copied, total, next) -> {
                        if (!looked[0] && copied > total / 2) {
                            looked[0] = true;
                            arrays = largestArrays();
                        }
                        return 0;
                    };
            long begin = System.nanoTime();
            result = store.compact("keys", 0, control);
            removed += result.removedRecords();
            out.printf(
                    Locale.ROOT,
                    "run %d: %,d keys, compacted to %,d of %,d, %,d records removed, %.1f s; %s%n",
                    ++runs,
                    result.keys(),
                    result.compactedTo(),
                    result.endOffset(),
                    result.removedRecords(),
                    (System.nanoTime() - begin) / 1e9,
                    arrays);
        } while (result.compactedTo() < result.endOffset());
        long superseded = keys / UPDATED_SHARE;
        out.printf(Locale.ROOT, "%,d records removed in %d runs%n", removed, runs);
        // Of "filling" all but the last one in a sealed segment go, too.
        return removed >= superseded && removed < superseded + IN_BATCH;
    }

    /** Returns what the arrays of long take, which the map of keys is. */
    private static String largestArrays() {
        HeapHistogram.Entry arrays = HeapHistogram.take().of("[J");
        return String.format(
                Locale.ROOT, "live long[]: %d with %,d bytes", arrays.instances(), arrays.bytes());
    }
}
