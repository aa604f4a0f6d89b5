package io.firn.compact;

import io.firn.CompactionResult;
import io.firn.MoveControl;
import io.firn.log.LogContext;
import io.firn.log.SegmentedLog;
import java.util.concurrent.locks.ReentrantLock;

/** Makes the compactions of a store, one at a time: they share the memory. Thread-safe. */
public final class Compactor {
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
                int keyBytes = CompactionMemory.forKeys(store.config().compactionMemory());
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

    /** Returns the pace of a compaction that the store begins by itself. */
    MoveControl newRate() {
        return new ByteRate(store.config().compactionRate());
    }
}
