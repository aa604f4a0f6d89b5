package io.firn.migrator;

import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;

/**
 * A segment that is to be moved.
 *
 * @param topic its topic's name
 * @param partition its partition's number
 * @param baseOffset offset of its first record
 * @param fromTier index of the tier that it lies in
 * @param toTier index of the tier that it is to lie in
 * @param bytes of its batches
 */
public record Move(
        String topic, int partition, long baseOffset, int fromTier, int toTier, int bytes) {

    /** A segment that is to be moved. */
    public static Move of(PartitionPlace partition, SegmentPlace segment, int toTier) {
        return new Move(
                partition.topic(),
                partition.partition(),
                segment.baseOffset(),
                segment.tier(),
                toTier,
                segment.bytes());
    }

    /** Whether it goes to a colder tier. */
    public boolean isDown() {
        return toTier > fromTier;
    }

    @Override
    public String toString() {
        return topic + "-" + partition + "@" + baseOffset + " " + fromTier + " -> " + toTier;
    }
}
