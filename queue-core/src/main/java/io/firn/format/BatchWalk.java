package io.firn.format;

import java.nio.ByteBuffer;

/**
 * Steps from batch to batch: the length of a batch leads to the next one, and its last offset says
 * which offset must be stored there. All walks over batches are made of these steps and differ in
 * what they require of the next batch and in what they do when a step fails:
 *
 * <ul>
 *   <li>{@link #next()} requires a plausible header, for bytes that were forced, and of a control
 *       batch a valid CRC: one flipped bit in a marker turns a commit into an abort;
 *   <li>{@link #nextHeader(int)} requires a plausible header with an epoch and reads nothing behind
 *       it, for bytes that are still to be read;
 *   <li>{@link #nextWhole()} requires a valid CRC as well, for bytes of which nothing is known;
 *   <li>{@link #nextWhole(int)} also requires an epoch, for bytes that a crash may have torn or an
 *       earlier use of the block may have left;
 *   <li>{@link #nextWholeFrom(int)} requires that epochs do not descend, for bytes of a replica
 *       that a crash may have torn.
 * </ul>
 *
 * <p>A step that fails does not move the walk. Owns nothing and can be started again. Not
 * thread-safe.
 */
public final class BatchWalk {
    /** Stands for any epoch. */
    public static final int ANY_EPOCH = -1;

    private static final long UNKNOWN = Long.MAX_VALUE;

    /** Of which batches a step checks the CRC. */
    private enum Checked {
        NONE,
        MARKERS,
        ALL
    }

    private final BatchVerifier verifier;
    private ByteBuffer memory;
    private int end;
    private long endOffset;

    // Where the next batch must begin.
    private int nextPosition;
    private long nextOffset;

    // The batch of the last step.
    private int position;
    private int size;
    private long baseOffset;

    private String reason = "";

    /** Creates a walk that checks batches with a verifier, which may have other users. */
    public BatchWalk(BatchVerifier verifier) {
        this.verifier = verifier;
    }

    /**
     * Starts at a batch of which the end of the walk is known by its position only.
     *
     * @param from position of the first batch
     * @param offset its offset
     * @param to position after the last batch
     */
    public BatchWalk start(ByteBuffer bytes, int from, long offset, int to) {
        return start(bytes, from, offset, to, UNKNOWN);
    }

    /**
     * Starts at a batch.
     *
     * @param from position of the first batch
     * @param offset its offset
     * @param to position after the last batch
     * @param toOffset offset after the last batch, {@link Long#MAX_VALUE} when it is unknown
     */
    public BatchWalk start(ByteBuffer bytes, int from, long offset, int to, long toOffset) {
        memory = bytes;
        end = to;
        endOffset = toOffset;
        goTo(from, offset);
        return this;
    }

    /** Continues the walk at another batch. */
    public void goTo(int at, long offset) {
        nextPosition = at;
        nextOffset = offset;
        size = 0;
    }

    /** Returns whether the walk has come to the end, by position and by offset. */
    public boolean isAtEnd() {
        return nextPosition >= end && nextOffset >= endOffset;
    }

    /** Steps to the next batch if its header is plausible. */
    public boolean next() {
        return step(Checked.MARKERS, ANY_EPOCH);
    }

    /**
     * Steps to a batch further on as {@link #next()} does, whatever is before it, if the offset
     * after it is the given one. Its own offset is the one that is stored there.
     */
    public boolean nextAt(int at, long offsetAfter) {
        if (at <= nextPosition || at > end - BatchFormat.HEADER_LENGTH) {
            return false;
        }
        long stored = memory.getLong(at);
        if (stored <= nextOffset || BatchFormat.nextOffset(memory, at) != offsetAfter) {
            return false;
        }
        int wasPosition = nextPosition;
        long wasOffset = nextOffset;
        nextPosition = at;
        nextOffset = stored;
        boolean stepped = next();
        if (!stepped) {
            nextPosition = wasPosition;
            nextOffset = wasOffset;
        }
        return stepped;
    }

    /**
     * Steps to the next batch, of which only the header need be there, if that is plausible and
     * contains the epoch.
     */
    public boolean nextHeader(int epochBits) {
        return step(Checked.NONE, epochBits);
    }

    /** Steps to the next batch if its header is plausible and its CRC is valid. */
    public boolean nextWhole() {
        return step(Checked.ALL, ANY_EPOCH);
    }

    /**
     * Steps to the next batch if it has the epoch, the next offset, a plausible length and a valid
     * CRC. Nothing that an earlier use of a block, an earlier writer, or a user's payload left
     * there has all four.
     */
    public boolean nextWhole(int epochBits) {
        return step(Checked.ALL, epochBits);
    }

    /**
     * Steps to the next batch if it has the next offset, a plausible length, a valid CRC and an
     * epoch that is not below the given one. Nothing but what was written there lies in clean
     * ground (O27).
     */
    public boolean nextWholeFrom(int leastEpoch) {
        if (nextPosition <= end - BatchFormat.HEADER_LENGTH && epochAt(nextPosition) < leastEpoch) {
            reason = "epoch";
            return false;
        }
        return step(Checked.ALL, ANY_EPOCH);
    }

    private boolean step(Checked checked, int epochBits) {
        int n = isAtLimit() ? -1 : verifier.checkHeader(memory, nextPosition, end, nextOffset);
        if (n < 0) {
            reason = isAtLimit() ? "bytes after the last offset" : verifier.reason();
            return false;
        }
        long following = BatchFormat.nextOffset(memory, nextPosition);
        if (following > endOffset) {
            reason = "last offset";
            return false;
        }
        // Before the CRC: stale bytes are not worth reading.
        if (epochBits != ANY_EPOCH && epochAt(nextPosition) != epochBits) {
            reason = "epoch";
            return false;
        }
        boolean checksCrc = checked == Checked.ALL || (checked == Checked.MARKERS && isControl());
        if (checksCrc && !verifier.checkCrc(memory, nextPosition, n)) {
            reason = verifier.reason();
            return false;
        }
        position = nextPosition;
        baseOffset = nextOffset;
        size = n;
        nextPosition += n;
        nextOffset = following;
        return true;
    }

    private boolean isControl() {
        int attributes = memory.getShort(nextPosition + BatchFormat.ATTRIBUTES);
        return (attributes & BatchFormat.CONTROL_FLAG) != 0;
    }

    private boolean isAtLimit() {
        return nextOffset >= endOffset;
    }

    private int epochAt(int at) {
        return memory.getInt(at + BatchFormat.EPOCH);
    }

    /** Returns why the last step failed. */
    public String reason() {
        return reason;
    }

    /** Returns whether the walk is at a batch: after a step, and not after a start. */
    public boolean isAtBatch() {
        return size > 0;
    }

    /** Returns whether the CRC of the batch is valid. */
    public boolean isWhole() {
        return verifier.check(memory, position, end, baseOffset) > 0;
    }

    /** Returns the batch's position. */
    public int position() {
        return position;
    }

    /** Returns the batch's size in bytes. */
    public int size() {
        return size;
    }

    /** Returns the offset of the batch's first record. */
    public long baseOffset() {
        return baseOffset;
    }

    /** Returns the low 31 bits of the epoch in the batch. */
    public int epochBits() {
        return epochAt(position);
    }

    /** Returns the largest timestamp in the batch's header. */
    public long maxTimestamp() {
        return memory.getLong(position + BatchFormat.MAX_TIMESTAMP);
    }

    /** Returns the position at which the next batch must begin. */
    public int nextPosition() {
        return nextPosition;
    }

    /** Returns the offset that the next batch must have. */
    public long nextOffset() {
        return nextOffset;
    }
}
