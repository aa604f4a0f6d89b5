package io.firn.migrator;

import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;

/**
 * A segment that is to be moved.
 *
 * @param topic the topic's name
 * @param partition the partition's number
 * @param baseOffset the offset of the segment's first record
 * @param fromTier the label of the tier that it is in
 * @param toTier the label of the tier to move it to
 * @param bytes the bytes of its batches
 * @see MigrationPolicy
 */
public record Move(
        String topic, int partition, long baseOffset, String fromTier, String toTier, int bytes) {

    /** Creates a move of a segment. */
    public static Move of(PartitionPlace partition, SegmentPlace segment, String toTier) {
        return new Move(
                partition.topic(),
                partition.partition(),
                segment.baseOffset(),
                segment.tier(),
                toTier,
                segment.bytes());
    }

    @Override
    public String toString() {
        return topic + "-" + partition + "@" + baseOffset + " " + fromTier + " -> " + toTier;
    }
}
