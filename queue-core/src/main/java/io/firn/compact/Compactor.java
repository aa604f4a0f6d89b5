package io.firn.compact;

import io.firn.LogStore.MoveControl;
import io.firn.PartitionReader.CompactionResult;
import io.firn.log.LogContext;
import io.firn.log.SegmentedLog;
import java.util.concurrent.locks.ReentrantLock;

/** Makes the compactions of a store, one at a time: they share the memory. Thread-safe. */
public final class Compactor {
    /** What is not for keys, on the heap and outside. */
    private static final int FOR_BATCHES = 16 << 20;

    private final LogContext store;
    private final ReentrantLock turn = new ReentrantLock();

    /** Creates the compactor of a store. */
    public Compactor(LogContext store) {
        this.store = store;
    }

    /**
     * Compacts a partition, on the caller's thread; waits while another one is compacted.
     *
     * @throws IllegalStateException when a compaction of this thread asks for it
     */
    public CompactionResult compact(PartitionCompaction partition, MoveControl control) {
        SegmentedLog log = partition.log();
        if (turn.isHeldByCurrentThread()) {
            throw new IllegalStateException(
                    "a control of a compaction must not compact: "
                            + log
                            + " would change below it");
        }
        turn.lock();
        try {
            boolean isOuter = store.beginMove();
            log.state().beginMove(); // a close and a deletion wait for the end
            try {
                int keyBytes = keyBytes(store.config().compactionMemory());
                return partition.compact(keyBytes, control);
            } finally {
                log.state().endMove();
                if (isOuter) {
                    store.endMove();
                }
            }
        } finally {
            turn.unlock();
        }
    }

    /**
     * Returns how many bytes of a compaction's memory are for keys: what is left, but at least
     * half. What is in the batches has no influence on it: they are decompressed and compressed
     * piece by piece.
     *
     * <pre>
     *   8 MiB    the blocks or the window of a decompressor (Codecs.MOST_HELD)
     *   4 MiB    a compressor: zstd's, outside the heap; the others take less than 1 MiB
     *   0.8 MiB  a bit for each record of a batch (KeptRecords), while they grow
     *   0.8 MiB  a small batch that is being made (HeldBatch), while it grows
     *   1 MiB    the index of the segment that is being made (RewriteTarget)
     *   0.5 MiB  producers with transactions (TransactionTrace)
     *   0.9 MiB  pieces on their way
     *   the rest keys (OffsetMap)
     * </pre>
     */
    private static int keyBytes(int bytes) {
        return Math.max(bytes - FOR_BATCHES, bytes / 2);
    }

    /** Returns the pace of a compaction that the store begins by itself. */
    MoveControl newRate() {
        MoveControl rate = new ByteRate(store.config().compactionRate());
        return (copied, total, next) -> {
            store.background().onProgress();
            return rate.pauseNs(copied, total, next);
        };
    }

    /** Limits a compaction to a number of bytes per second. For one thread. */
    private static final class ByteRate implements MoveControl {
        private static final long SECOND_NS = 1_000_000_000;

        /** Shorter pauses are saved up: a thread that parks wakes up no earlier. */
        private static final long LEAST_PAUSE_NS = 2_000_000;

        private final long bytesPerSecond;
        private long freeNs = System.nanoTime();

        ByteRate(long bytesPerSecond) {
            this.bytesPerSecond = bytesPerSecond;
        }

        @Override
        public long pauseNs(long copied, long total, int next) {
            long now = System.nanoTime();
            freeNs = Math.max(freeNs, now - LEAST_PAUSE_NS) + next * SECOND_NS / bytesPerSecond;
            long pauseNs = freeNs - now;
            return pauseNs < LEAST_PAUSE_NS ? 0 : pauseNs;
        }
    }
}
