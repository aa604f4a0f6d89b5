package io.firn.spi;

import java.util.UUID;

/**
 * What the owner of a segment has written down about it: whose it is, and how far it is durable.
 *
 * @param state what the block is used for
 * @param topicId the topic, by its identity, never by its name
 * @param partition the partition
 * @param epoch the writer's term; batches above the position count only with this epoch
 * @param baseOffset offset of the first record, −1 while only reserved
 * @param position bytes that are durable
 * @param offset the offset that follows the durable bytes, −1 while only reserved
 * @param timeMs when a sealed segment was sealed, or an active one begun, ms since 1970; −1 when
 *     not known
 * @param sequence grows with every mark of a segment; the highest valid one counts
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
        long sequence) {

    /** When the segment was sealed, ms since 1970; −1 before. */
    public long sealTimeMs() {
        return state == SegmentState.SEALED ? timeMs : -1;
    }

    /** When an active segment was begun, ms since 1970; −1 when not known. */
    public long beginTimeMs() {
        return state == SegmentState.ACTIVE ? timeMs : -1;
    }

    /** The mark of a block that was reserved for a partition and holds nothing yet. */
    public static Mark reserved(UUID topicId, int partition, long epoch) {
        return new Mark(SegmentState.RESERVED, topicId, partition, epoch, -1, 0, -1, -1, 0);
    }

    /** The mark that follows this one: an active segment, durable up to a place. */
    public Mark active(long epoch, long baseOffset, int position, long offset) {
        return active(epoch, baseOffset, position, offset, beginTimeMs());
    }

    /** The mark that follows this one: an active segment that was begun at a time. */
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

    /** The mark that follows this one: sealed at its end. */
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
                sequence + 1);
    }
}
