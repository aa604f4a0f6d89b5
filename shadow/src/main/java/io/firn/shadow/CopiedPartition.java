package io.firn.shadow;

import java.time.Duration;
import java.util.Optional;

/** The status of a partition. */
record CopiedPartition(
        String topic,
        int partition,
        FollowState state,
        long nextOffset,
        long highWatermark,
        long sourceLogStart,
        Optional<Duration> lagTime,
        int leader,
        int leaderEpoch,
        long appendedBytes,
        String lastError)
        implements PartitionStatus {

    /** Returns the status of a partition that was not opened. */
    static PartitionStatus unknown(
            String topic, int partition, FollowState state, String lastError) {
        return new CopiedPartition(
                topic, partition, state, -1, -1, -1, Optional.empty(), -1, -1, 0, lastError);
    }
}
