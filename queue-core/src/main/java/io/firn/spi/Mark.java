package io.firn.spi;

import java.util.UUID;

/**
 * What the owner of a segment has durably recorded about it: where it belongs, and how far it is
 * durable.
 *
 * @param state what the block is used for
 * @param topicId the id of the topic
 * @param partition the partition
 * @param epoch the writer's term; batches above the position count only with this epoch
 * @param baseOffset the offset of the first record; −1 while only reserved
 * @param position the number of durable bytes
 * @param offset the offset after the durable bytes; −1 while only reserved
 * @param timeMs when a sealed segment was sealed, or an active one begun, in ms since 1970; −1 if
 *     unknown
 * @param sequence grows with every mark of a segment; the valid mark with the highest one is the
 *     newest
 * @param generation how often the segment was rewritten by compaction; 0 = never
 * @param compactedTo the offset up to which the compaction that last looked at the segment knew all
 *     keys; −1 in generation 0
 * @param maxTimestamp an upper limit of the timestamps in a sealed segment, usually the largest of
 *     them; {@link #UNKNOWN_TIMESTAMP} if unknown. A tier may forget it
 * @see StorageTier
 */
public record Mark(
        SegmentState state,
        UUID topicId,
        int partition,
        long epoch,
        long baseOffset,
        int position,
        long offset,
        long timeMs,
        long sequence,
        int generation,
        long compactedTo,
        long maxTimestamp) {
    /** What {@link #compactedTo} is in generation 0. */
    public static final long NEVER_COMPACTED = -1;

    /** What {@link #maxTimestamp} is when nothing is known of the timestamps. */
    public static final long UNKNOWN_TIMESTAMP = Long.MAX_VALUE;

    /** Creates a mark that says nothing of timestamps. */
    public Mark(
            SegmentState state,
            UUID topicId,
            int partition,
            long epoch,
            long baseOffset,
            int position,
            long offset,
            long timeMs,
            long sequence,
            int generation,
            long compactedTo) {
        this(
                state,
                topicId,
                partition,
                epoch,
                baseOffset,
                position,
                offset,
                timeMs,
                sequence,
                generation,
                compactedTo,
                UNKNOWN_TIMESTAMP);
    }

    /** Creates the mark of a segment that was never rewritten. */
    public Mark(
            SegmentState state,
            UUID topicId,
            int partition,
            long epoch,
            long baseOffset,
            int position,
            long offset,
            long timeMs,
            long sequence) {
        this(
                state,
                topicId,
                partition,
                epoch,
                baseOffset,
                position,
                offset,
                timeMs,
                sequence,
                0,
                NEVER_COMPACTED);
    }

    /** Returns when the segment was sealed, in ms since 1970; −1 before that. */
    public long sealTimeMs() {
        return state == SegmentState.SEALED ? timeMs : -1;
    }

    /** Returns when an active segment was begun, in ms since 1970; −1 if unknown. */
    public long beginTimeMs() {
        return state == SegmentState.ACTIVE ? timeMs : -1;
    }

    /** Returns the mark of a block that is reserved for a partition and still empty. */
    public static Mark reserved(UUID topicId, int partition, long epoch) {
        return new Mark(SegmentState.RESERVED, topicId, partition, epoch, -1, 0, -1, -1, 0);
    }

    /** Returns the next mark: an active segment, durable up to a position. */
    public Mark active(long epoch, long baseOffset, int position, long offset) {
        return active(epoch, baseOffset, position, offset, beginTimeMs());
    }

    /** Returns the next mark: an active segment that was begun at a time. */
    public Mark active(long epoch, long baseOffset, int position, long offset, long beginTimeMs) {
        return new Mark(
                SegmentState.ACTIVE,
                topicId,
                partition,
                epoch,
                baseOffset,
                position,
                offset,
                beginTimeMs,
                sequence + 1);
    }

    /**
     * Returns the next mark: sealed at its end, in the same generation, with the same limit of its
     * timestamps.
     *
     * @param epoch the highest epoch of its batches
     * @param position the number of bytes; for {@link StorageTier#beginCopy} an upper bound
     * @param offset the offset after its last batch
     */
    public Mark sealed(long epoch, long baseOffset, int position, long offset, long sealTimeMs) {
        return new Mark(
                SegmentState.SEALED,
                topicId,
                partition,
                epoch,
                baseOffset,
                position,
                offset,
                sealTimeMs,
                sequence + 1,
                generation,
                compactedTo,
                maxTimestamp);
    }

    /** Returns this mark with another upper limit of the timestamps in its segment. */
    public Mark withMaxTimestamp(long limit) {
        return new Mark(
                state,
                topicId,
                partition,
                epoch,
                baseOffset,
                position,
                offset,
                timeMs,
                sequence,
                generation,
                compactedTo,
                limit);
    }

    /** Returns this mark in a generation of its segment, see {@link #compactedTo}. */
    public Mark inGeneration(int number, long knownTo) {
        return new Mark(
                state,
                topicId,
                partition,
                epoch,
                baseOffset,
                position,
                offset,
                timeMs,
                sequence,
                number,
                knownTo,
                maxTimestamp);
    }

    /** What a block is used for. The codes are stored on the medium and must not change. */
    public enum SegmentState {
        /**
         * Reserved for a partition; holds no acknowledged record unless its first batch is valid.
         */
        RESERVED(1),
        /** Being written to. */
        ACTIVE(2),
        /** Complete, never written again. */
        SEALED(3);

        private final int code;

        SegmentState(int code) {
            this.code = code;
        }

        /** Returns the number of this state on the medium. */
        public int code() {
            return code;
        }

        /** Returns the state with a code, or null. */
        public static SegmentState ofCode(int code) {
            for (SegmentState state : values()) {
                if (state.code == code) {
                    return state;
                }
            }
            return null;
        }
    }
}
