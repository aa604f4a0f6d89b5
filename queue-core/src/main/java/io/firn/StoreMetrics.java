package io.firn;

import java.util.List;

/**
 * Metrics of a store at one moment.
 *
 * @param tiers hottest first
 * @param partitions of all topics
 * @param backgroundErrors failures of background work since open; each was logged
 */
public record StoreMetrics(
        List<TierMetrics> tiers, List<PartitionMetrics> partitions, long backgroundErrors) {

    /**
     * Metrics of a tier.
     *
     * @param label the label that the builder was given
     * @param name the kind and place of the tier
     * @param durabilityClass what a forced record survives there
     * @param capacityBytes {@link Long#MAX_VALUE} when only the file system limits it
     * @param usedBytes bytes of blocks in use
     * @param segments segments with records in this tier
     * @param spilledSegments segments begun here since open because a hotter tier was full or
     *     failed
     * @param spilledBytes the space of these
     * @param movedDownBytes moved from here to colder tiers since open
     * @param movedUpBytes moved from here to hotter tiers since open
     * @param movesInFlight moves from or to this tier in progress
     * @param inRotation whether new segments and copies are put here; false for a while after its
     *     medium failed
     * @param lastError the last failure in this tier, which may be a lack of room; null when there
     *     was none
     * @param uncollectedBytes still mapped although nothing reads them: on Java 17 to 21, bytes
     *     whose buffers were handed out stay mapped until the garbage collector finds that nobody
     *     holds one, and a deleted file keeps its space that long; always 0 from Java 22 on
     */
    public record TierMetrics(
            String label,
            String name,
            DurabilityClass durabilityClass,
            long capacityBytes,
            long usedBytes,
            int segments,
            long spilledSegments,
            long spilledBytes,
            long movedDownBytes,
            long movedUpBytes,
            int movesInFlight,
            boolean inRotation,
            String lastError,
            long uncollectedBytes) {}
}
