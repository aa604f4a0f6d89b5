package io.firn;

import java.util.List;
import java.util.Map;

/**
 * Which segment lies in which tier, at one moment; what a decision about moves needs to know. Moves
 * that are under way are shown as if they had ended.
 *
 * @param timeMs by the store's clock
 * @param tiers hottest first
 * @param partitions of all topics
 */
public record StoreSnapshot(long timeMs, List<TierPlace> tiers, List<PartitionPlace> partitions) {

    /** Copies the lists. */
    public StoreSnapshot {
        tiers = List.copyOf(tiers);
        partitions = List.copyOf(partitions);
    }

    /**
     * A tier.
     *
     * @param label as the builder was told
     * @param capacityBytes {@link Long#MAX_VALUE} when only the file system limits it
     * @param usedBytes of blocks in use, less those of segments that are moving away
     * @param blockBytes what a segment takes here at least
     * @param maxSegmentBytes larger segments cannot be moved here
     */
    public record TierPlace(
            String label,
            long capacityBytes,
            long usedBytes,
            long blockBytes,
            int maxSegmentBytes) {}

    /**
     * A partition.
     *
     * @param topic its topic's name
     * @param partition its number
     * @param logStartOffset earliest readable
     * @param visibleOffset where readers stop
     * @param tiers indexes of the tiers that its segments may be moved to, ascending; a tier whose
     *     medium failed just now is left out
     * @param cursors the offsets of the topic's cursors in this partition, by name; those that
     *     never were in this partition are left out
     * @param segments in order; the last may be written to
     */
    public record PartitionPlace(
            String topic,
            int partition,
            long logStartOffset,
            long visibleOffset,
            List<Integer> tiers,
            Map<String, Long> cursors,
            List<SegmentPlace> segments) {

        /** Copies the collections. */
        public PartitionPlace {
            tiers = List.copyOf(tiers);
            cursors = Map.copyOf(cursors);
            segments = List.copyOf(segments);
        }
    }

    /**
     * A segment.
     *
     * @param baseOffset offset of its first record
     * @param endOffset the offset behind its last record
     * @param bytes of its batches
     * @param usedBytes what it takes of its tier
     * @param tier index of the tier that it lies in, or is on its way to
     * @param sealTimeMs when it was sealed; −1 while it is written to
     * @param movable whether it is sealed, and not on its way
     */
    public record SegmentPlace(
            long baseOffset,
            long endOffset,
            int bytes,
            long usedBytes,
            int tier,
            long sealTimeMs,
            boolean movable) {}
}
