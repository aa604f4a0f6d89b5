package io.firn.compact;

import io.firn.format.BatchRewriter;

/**
 * Decides which records stay in a segment that is being rewritten. Knows the keys of the offsets
 * from where the last compaction ended up to {@link #knownTo}; nothing above that is judged.
 *
 * <p>A tombstone goes only when it deletes nothing any more: when its horizon has passed, and every
 * segment below it was rewritten, durably, by a compaction that knew it ({@link #floor}). If one
 * was skipped, it may still have a record that the tombstone deletes.
 */
final class RetentionRule {
    private final OffsetMap keys;
    private final long knownTo;
    private final long logStart;
    private final long nowMs;
    private final long floor;

    /**
     * Creates the decision for some segments.
     *
     * @param keys the latest offsets of keys
     * @param knownTo the offset up to which they are known
     * @param logStart the offset below which nothing can be read any more
     * @param floor the offset up to which every lower segment was compacted
     */
    RetentionRule(OffsetMap keys, long knownTo, long logStart, long nowMs, long floor) {
        this.keys = keys;
        this.knownTo = knownTo;
        this.logStart = logStart;
        this.nowMs = nowMs;
        this.floor = floor;
    }

    /**
     * Returns whether nothing is left that the tombstones of a batch delete: only then their time
     * begins. A reader that has read a record shortly before it was removed finds its tombstone.
     */
    boolean areDone(BatchRewriter batch) {
        return batch.nextOffset() <= Math.min(knownTo, floor);
    }

    /** Returns whether the present record of a batch stays. */
    boolean stays(BatchRewriter batch) {
        long offset = batch.offset();
        if (offset < logStart) {
            return false;
        }
        if (offset >= knownTo || !batch.hasKey()) {
            return true;
        }
        if (keys.latest() > offset) {
            return false;
        }
        return batch.hasValue() || !isSpent(batch);
    }

    /** Returns whether a horizon has passed. */
    boolean isPast(long horizonMs) {
        return horizonMs < nowMs;
    }

    private boolean isSpent(BatchRewriter tombstone) {
        long horizonMs = tombstone.horizonMs();
        return horizonMs != BatchRewriter.NO_HORIZON
                && horizonMs < nowMs
                && tombstone.offset() < floor;
    }
}
