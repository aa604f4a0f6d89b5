package io.firn.store;

import io.firn.batch.BatchFormat;
import io.firn.batch.BatchVerifier;
import java.nio.ByteBuffer;

/**
 * Walks over the batches of a segment by their headers. Where the chain breaks below the end, the
 * step is a damaged range, and the walk continues after it.
 *
 * <p>The walk itself reads headers only. {@link Resync} decides where it continues after damage.
 */
public final class SegmentWalk {
    private final BatchVerifier verifier = new BatchVerifier();
    private final ByteBuffer memory;
    private final int end;
    private final long endOffset;
    private final int lastEpoch;
    private Resync resync;

    private int at;
    private long expected;
    private int previous = -1;

    private int position;
    private int size;
    private long fromOffset;
    private long toOffset;
    private String damage;

    /**
     * Creates a walk that starts at a batch.
     *
     * @param at position of the first batch, whose offset is {@code expected}
     * @param end position after the last batch; the next offset there is {@code endOffset}, {@link
     *     Long#MAX_VALUE} when that is unknown
     * @param lastEpoch the low bits of the last batch's epoch, −1 when it is unknown
     */
    public SegmentWalk(
            ByteBuffer memory, int at, long expected, int end, long endOffset, int lastEpoch) {
        this.memory = memory;
        this.at = at;
        this.expected = expected;
        this.end = end;
        this.endOffset = endOffset;
        this.lastEpoch = lastEpoch;
    }

    /** Steps to the next batch or damaged range; false at the end. */
    public boolean next() {
        if (at >= end && expected >= endOffset) {
            return false;
        }
        damage = null;
        int n = expected < endOffset ? verifier.checkHeader(memory, at, end, expected) : -1;
        if (n > 0 && BatchFormat.nextOffset(memory, at) <= endOffset) {
            previous = at;
            step(at, n, expected, BatchFormat.nextOffset(memory, at));
            return true;
        }
        // The previous batch may be the damaged one: a wrong length leads to a wrong place.
        String reason =
                n > 0
                        ? "last offset"
                        : expected < endOffset ? verifier.reason() : "bytes behind the last offset";
        int from = at;
        if (previous >= 0 && verifier.check(memory, previous, end, memory.getLong(previous)) < 0) {
            from = previous;
            reason = verifier.reason();
            expected = memory.getLong(previous);
        }
        previous = -1;
        resync(from, reason);
        return true;
    }

    /** Makes the present batch a damaged range, after a full check has found it damaged. */
    public void reject(String reason) {
        expected = fromOffset;
        previous = -1;
        resync(position, reason);
    }

    /** Continues the walk after a damaged batch that a full check has found. */
    void resync(int from, String reason) {
        if (resync == null) {
            resync = new Resync(memory, end, endOffset, lastEpoch);
        }
        int found = resync.find(from, expected);
        long base = found < 0 ? Math.max(endOffset, expected) : memory.getLong(found);
        step(from, (found < 0 ? end : found) - from, expected, base);
        damage = reason;
    }

    private void step(int from, int bytes, long first, long next) {
        position = from;
        size = bytes;
        fromOffset = first;
        toOffset = next;
        at = from + bytes;
        expected = next;
    }

    /** Whether this step is a damaged range and not a batch. */
    public boolean isDamage() {
        return damage != null;
    }

    /** What was wrong. */
    public String damage() {
        return damage;
    }

    /** Position of the batch or the damage. */
    public int position() {
        return position;
    }

    int size() {
        return size;
    }

    /** First offset of the batch or the damage. */
    public long fromOffset() {
        return fromOffset;
    }

    /** Offset after it. */
    public long toOffset() {
        return toOffset;
    }

    long maxTimestamp() {
        return memory.getLong(position + BatchFormat.MAX_TIMESTAMP);
    }
}
