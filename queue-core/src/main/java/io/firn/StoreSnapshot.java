package io.firn;

import java.util.List;
import java.util.Map;

/**
 * The segments of a store and their tiers at one moment: the input for a decision about moves.
 * Moves in progress are shown as if they had ended. A record so that tests of policies can make
 * one; if it gets more components, the constructors of today stay.
 *
 * @param timeMs the time by the store's clock, in ms since 1970
 * @param tiers the tiers, hottest first
 * @param partitions the partitions of all topics
 */
public record StoreSnapshot(long timeMs, List<TierPlace> tiers, List<PartitionPlace> partitions) {

    /** Copies the lists. */
    public StoreSnapshot {
        tiers = List.copyOf(tiers);
        partitions = List.copyOf(partitions);
    }

    /**
     * Returns a tier.
     *
     * @throws InvalidOptionException when none has the label
     */
    public TierPlace tier(String label) {
        return tiers.stream()
                .filter(tier -> tier.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new InvalidOptionException("no tier is '" + label + "'"));
    }

    /**
     * A tier.
     *
     * @param label the label that the builder was given, or {@code tier-0} and so on
     * @param capacityBytes {@link Long#MAX_VALUE} when only the file system limits it
     * @param usedBytes bytes of blocks in use, without those of segments that are moving away
     * @param blockBytes the bytes that a segment occupies here at least
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
     * @param topic the topic's name
     * @param partition the partition's number
     * @param logStartOffset the earliest offset that can be read
     * @param visibleOffset the offset where readers stop
     * @param tiers the labels of the tiers that its segments may be moved to, hottest first;
     *     without tiers whose medium failed recently
     * @param cursors the offsets of the topic's cursors in this partition, by name; without those
     *     that were never set in this partition
     * @param segments the segments in order; the last one may still be written to
     */
    public record PartitionPlace(
            String topic,
            int partition,
            long logStartOffset,
            long visibleOffset,
            List<String> tiers,
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
     * @param baseOffset the offset of its first record
     * @param endOffset the offset after its last record
     * @param bytes the bytes of its batches
     * @param usedBytes the bytes that it occupies in its tier
     * @param tier the label of the tier that it is in, or is being moved to
     * @param sealTimeMs when it was sealed, in ms since 1970; −1 while it is written to. If the
     *     clock was ahead then, so that the time is still to come, it counts as sealed when the
     *     next segment was, or else when the store first saw that
     * @param movable whether it is sealed and not being moved
     */
    public record SegmentPlace(
            long baseOffset,
            long endOffset,
            int bytes,
            long usedBytes,
            String tier,
            long sealTimeMs,
            boolean movable) {}
}
