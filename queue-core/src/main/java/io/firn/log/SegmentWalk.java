package io.firn.log;

import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.format.BatchWalk;
import java.nio.ByteBuffer;

/**
 * Walks over the batches of a segment by their headers. Where a {@link BatchWalk} cannot step on
 * before the end of the segment, this walk's step is a damaged range, and {@link Resync} decides
 * with which batch it continues.
 */
public final class SegmentWalk {
    private final BatchVerifier verifier = new BatchVerifier();
    private final BatchWalk walk = new BatchWalk(verifier);
    private final ByteBuffer memory;
    private final Bytes bytes;
    private Resync resync;

    // The present step: a batch, or damage if there is a reason.
    private int position;
    private int size;
    private long fromOffset;
    private long toOffset;
    private String damage;

    /**
     * Creates a walk that starts at a batch.
     *
     * @param at position of the first batch, whose offset is {@code expected}
     */
    public SegmentWalk(Bytes bytes, int at, long expected) {
        this.memory = bytes.memory;
        this.bytes = bytes;
        walk.start(memory, at, expected, bytes.end, bytes.endOffset);
    }

    /**
     * The bytes of a segment, and what is known of their end.
     *
     * @param end the position after the last batch
     * @param endOffset the offset there, {@link Long#MAX_VALUE} when it is unknown
     * @param lastEpoch the low bits of the epoch of the last batch, −1 when it is unknown
     */
    public record Bytes(ByteBuffer memory, int end, long endOffset, int lastEpoch) {}

    /** Steps to the next batch or damaged range; false at the end. */
    public boolean next() {
        if (walk.isAtEnd()) {
            return false;
        }
        boolean wasAtBatch = walk.isAtBatch();
        if (walk.next()) {
            position = walk.position();
            size = walk.size();
            fromOffset = walk.baseOffset();
            toOffset = walk.nextOffset();
            damage = null;
        } else if (wasAtBatch && !walk.isWhole()) {
            // The previous batch is the damaged one: a wrong length leads to a wrong place.
            reject(verifier.reason());
        } else {
            rejectNext(walk.reason());
        }
        return true;
    }

    /** Makes the present batch a damaged range, after a full check has found it damaged. */
    public void reject(String reason) {
        resync(position, fromOffset, reason);
    }

    /** Steps to a damaged range, after a full check has found the next batch damaged. */
    public void rejectNext(String reason) {
        resync(walk.nextPosition(), walk.nextOffset(), reason);
    }

    private void resync(int from, long offset, String reason) {
        if (resync == null) {
            resync = new Resync(bytes);
        }
        int found = resync.find(from, offset);
        position = from;
        size = (found < 0 ? bytes.end : found) - from;
        fromOffset = offset;
        toOffset = found < 0 ? Math.max(bytes.endOffset, offset) : memory.getLong(found);
        damage = reason;
        walk.goTo(from + size, toOffset);
    }

    /** Returns whether this step is a damaged range and not a batch. */
    public boolean isDamage() {
        return damage != null;
    }

    /** Returns what was wrong. */
    public String damage() {
        return damage;
    }

    /** Position of the batch or the damage. */
    public int position() {
        return position;
    }

    public int size() {
        return size;
    }

    /** Returns the first offset of the batch or the damage. */
    public long fromOffset() {
        return fromOffset;
    }

    /** Returns the offset after it. */
    public long toOffset() {
        return toOffset;
    }

    public long maxTimestamp() {
        return memory.getLong(position + BatchFormat.MAX_TIMESTAMP);
    }
}
