package io.firn;

import java.util.List;

/**
 * A store in numbers, taken at one moment.
 *
 * @param tiers hottest first
 * @param partitions of all topics
 * @param backgroundErrors failures of background work since open; each was logged
 */
public record StoreMetrics(
        List<TierMetrics> tiers, List<PartitionMetrics> partitions, long backgroundErrors) {

    /**
     * A tier in numbers.
     *
     * @param name what and where
     * @param durabilityClass what a forced record survives there
     * @param capacityBytes {@link Long#MAX_VALUE} when only the file system limits it
     * @param usedBytes of blocks in use
     * @param spilledSegments segments begun here since open because a hotter tier was full
     */
    public record TierMetrics(
            String name,
            DurabilityClass durabilityClass,
            long capacityBytes,
            long usedBytes,
            long spilledSegments) {}
}
