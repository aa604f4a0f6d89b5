package io.firn.shadow;

/**
 * How far a partition is copied.
 *
 * @param topic the name of the topic
 * @param partition its number
 * @param state what is done with it now
 * @param nextOffset the offset that the next record here will have
 * @param highWatermark the end of what consumers of the source may read, as it was last told; −1
 *     before
 * @param sourceLogStart the first offset of the source, as it was last told; −1 before
 * @param lagMs for how many ms this copy has not had everything that the source had; 0 while it
 *     has; −1 if it never had since it was started
 * @param leader the id of the broker that leads the partition; −1 if none is known
 * @param leaderEpoch the leader epoch; −1 if the source does not tell epochs
 * @param appendedBytes the bytes that were appended since the shadow was started
 * @param lastError the last failure, or what is wrong besides; null if there was none since
 *     something was answered
 */
public record PartitionStatus(
        String topic,
        int partition,
        FollowState state,
        long nextOffset,
        long highWatermark,
        long sourceLogStart,
        long lagMs,
        int leader,
        int leaderEpoch,
        long appendedBytes,
        String lastError) {

    /**
     * Returns how many offsets the source has that are missing here; −1 while that is not known.
     */
    public long lagRecords() {
        return highWatermark < 0 ? -1 : Math.max(0, highWatermark - nextOffset);
    }

    /** Returns the status of a partition that was not opened. */
    static PartitionStatus unknown(
            String topic, int partition, FollowState state, String lastError) {
        return new PartitionStatus(topic, partition, state, -1, -1, -1, -1, -1, -1, 0, lastError);
    }
}
