package io.firn.read;

import io.firn.FirnException;
import io.firn.Isolation;
import io.firn.batch.BatchFormat;
import io.firn.log.AbortedTransactions;
import io.firn.log.SegmentedLog;
import java.nio.ByteBuffer;

/** Decides of which batches a reader is shown the records. Thread-safe. */
final class ShownBatches {
    private static final int IN_TRANSACTIONS =
            BatchFormat.TRANSACTIONAL_FLAG | BatchFormat.CONTROL_FLAG;

    private final SegmentedLog log;
    private final AbortedTransactions aborted;
    private final Isolation isolation;

    ShownBatches(SegmentedLog log, Isolation isolation) {
        this.log = log;
        this.aborted = log.transactions().aborted();
        this.isolation = isolation;
    }

    Isolation isolation() {
        return isolation;
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
        if (isolation == Isolation.UNCOMMITTED) {
            return false;
        }
        if (log.store().isReadOnly()) {
            throw new FirnException(
                    log
                            + ": the batch at offset "
                            + bytes.getLong(start + BatchFormat.BASE_OFFSET)
                            + " belongs to a transaction, and a store that is open read-only does"
                            + " not know which ones were aborted: read in the writing process, or"
                            + " open the tailer with Isolation.UNCOMMITTED");
        }
        return aborted.contains(
                bytes.getLong(start + BatchFormat.PRODUCER_ID),
                bytes.getLong(start + BatchFormat.BASE_OFFSET));
    }
}
