package io.firn.read;

import io.firn.IsolationLevel;
import io.firn.format.BatchFormat;
import io.firn.log.LogContext;
import io.firn.log.ReaderLimit;
import io.firn.log.SegmentedLog;
import java.nio.ByteBuffer;

/** Decides of which batches a reader is shown the records. Not thread-safe. */
final class ShownBatches {
    private static final int IN_TRANSACTIONS =
            BatchFormat.TRANSACTIONAL_FLAG | BatchFormat.CONTROL_FLAG;

    private final LogContext store;
    private final ReaderLimit limit;
    private final IsolationLevel isolation;

    /** Whether the first transactional batch of a store that is read only was met just now. */
    private boolean isEndUnknown;

    ShownBatches(SegmentedLog log, IsolationLevel isolation) {
        this.store = log.store();
        this.limit = log.readerLimit();
        this.isolation = isolation;
    }

    boolean isEndUnknown() {
        return isEndUnknown;
    }

    /**
     * Returns whether the last batch was left out because it showed that the store has
     * transactions: where readers stop has to be found out, and the batch to be looked at again.
     */
    boolean takeEndUnknown() {
        boolean was = isEndUnknown;
        isEndUnknown = false;
        return was;
    }

    /**
     * Returns whether the records of a batch are left out.
     *
     * @param bytes the batch, from {@code start} on
     * @param attributes of the batch
     */
    boolean leavesOut(ByteBuffer bytes, int start, int attributes) {
        return (attributes & IN_TRANSACTIONS) != 0 && isLeftOut(bytes, start, attributes);
    }

    private boolean isLeftOut(ByteBuffer bytes, int start, int attributes) {
        if ((attributes & BatchFormat.CONTROL_FLAG) != 0) {
            return true;
        }
        if (isolation == IsolationLevel.READ_UNCOMMITTED) {
            return false;
        }
        if (!store.hasTransactions() && store.isReadOnly()) {
            store.onTransactions();
            isEndUnknown = true;
            return true;
        }
        return limit.isAborted(
                bytes.getLong(start + BatchFormat.PRODUCER_ID),
                bytes.getLong(start + BatchFormat.BASE_OFFSET));
    }
}
