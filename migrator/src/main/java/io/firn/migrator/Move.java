package io.firn.migrator;

import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import java.util.Objects;

/**
 * A segment that is to be moved. Immutable; equal when all of it is.
 *
 * @see MigrationPolicy
 */
public final class Move {
    private final String topic;
    private final int partition;
    private final long baseOffset;
    private final String fromTier;
    private final String toTier;
    private final int bytes;

    private Move(PartitionPlace partition, SegmentPlace segment, String toTier) {
        this.topic = partition.topic();
        this.partition = partition.partition();
        this.baseOffset = segment.baseOffset();
        this.fromTier = segment.tier();
        this.toTier = Objects.requireNonNull(toTier, "toTier");
        this.bytes = segment.bytes();
    }

    /**
     * Returns a move of a segment.
     *
     * @param partition has the segment
     * @param toTier the label of the tier to move it to
     */
    public static Move of(PartitionPlace partition, SegmentPlace segment, String toTier) {
        return new Move(partition, segment, toTier);
    }

    /** Returns the topic's name. */
    public String topic() {
        return topic;
    }

    /** Returns the partition's number. */
    public int partition() {
        return partition;
    }

    /** Returns the offset of the segment's first record. */
    public long baseOffset() {
        return baseOffset;
    }

    /** Returns the label of the tier that the segment is in. */
    public String fromTier() {
        return fromTier;
    }

    /** Returns the label of the tier to move it to. */
    public String toTier() {
        return toTier;
    }

    /** Returns the bytes of its batches. */
    public int bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Move that
                && topic.equals(that.topic)
                && partition == that.partition
                && baseOffset == that.baseOffset
                && fromTier.equals(that.fromTier)
                && toTier.equals(that.toTier)
                && bytes == that.bytes;
    }

    @Override
    public int hashCode() {
        return Objects.hash(topic, partition, baseOffset, fromTier, toTier, bytes);
    }

    @Override
    public String toString() {
        return topic + "-" + partition + "@" + baseOffset + " " + fromTier + " -> " + toTier;
    }
}
