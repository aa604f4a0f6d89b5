package io.firn.compact;

import io.firn.format.BatchRewriter;
import io.firn.log.ReaderLimit;
import org.agrona.collections.LongHashSet;

/**
 * Follows, through one compaction, which transactions still have batches, from the first segment
 * on. What aborted transactions appended goes at once. A marker is needed as long as a batch of its
 * transaction is left: without it, that would look as if it was undecided. Where a segment was not
 * looked at, all markers above it are needed; and where the transactions of more than {@link #MOST}
 * producers have batches at once.
 *
 * <p>Segments that are rewritten together may be gone through several times, each time from {@link
 * #restart} on.
 */
final class TransactionTrace {
    /** The two sets take 512 KiB then. */
    private static final int MOST = 16_384;

    private final ReaderLimit limit;

    /** Producers that have a batch which stays, since their last marker. */
    private final LongHashSet withBatches = new LongHashSet();

    /** The same, at the beginning of the group. */
    private final LongHashSet before = new LongHashSet();

    private boolean isBroken;

    TransactionTrace(ReaderLimit limit) {
        this.limit = limit;
    }

    /** Begins with the next group of segments, all of the one before having been gone through. */
    void begin() {
        before.clear();
        before.addAll(withBatches);
    }

    /** Goes back to the beginning of the group. */
    void restart() {
        withBatches.clear();
        withBatches.addAll(before);
    }

    /** Notes that a segment was not gone through. */
    void leaveOut() {
        isBroken = true;
    }

    /** Returns whether a batch belongs to an aborted transaction. */
    boolean isAborted(BatchRewriter batch) {
        return batch.isTransactional() && limit.isAborted(batch.producerId(), batch.baseOffset());
    }

    /** Notes a batch of which something stays. */
    void stays(BatchRewriter batch) {
        if (!batch.isTransactional()) {
            return;
        }
        if (withBatches.size() < MOST) {
            withBatches.add(batch.producerId());
        } else if (!withBatches.contains(batch.producerId())) {
            isBroken = true;
        }
    }

    /** Passes a marker; returns whether it is needed. */
    boolean needs(BatchRewriter marker) {
        return withBatches.remove(marker.producerId()) || isBroken;
    }
}
