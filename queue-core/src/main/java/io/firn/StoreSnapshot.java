package io.firn;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The segments of a store and their tiers at one moment: the input for a decision about moves.
 * Moves in progress are shown as if they had ended. Immutable; equal when all of it is.
 *
 * <p>Tests of policies may implement this and the interfaces in it, for example with records:
 * methods that a later version adds have a default.
 *
 * @see LogStore
 */
public interface StoreSnapshot {

    /** Returns the time by the store's clock. */
    Instant time();

    /** Returns the tiers, hottest first. */
    List<TierPlace> tiers();

    /** Returns the partitions of all topics. */
    List<PartitionPlace> partitions();

    /**
     * Returns a tier.
     *
     * @throws InvalidOptionException when none has the label
     */
    default TierPlace tier(String label) {
        return tiers().stream()
                .filter(tier -> tier.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new InvalidOptionException("no tier is '" + label + "'"));
    }

    /** A tier at one moment. Immutable; equal when all of it is. */
    interface TierPlace {

        /** Returns the label that the builder was given, or {@code tier-0} and so on. */
        String label();

        /** Returns its size; empty when only the file system limits it. */
        OptionalLong capacityBytes();

        /** Returns the bytes of blocks in use, without those of segments that are moving away. */
        long usedBytes();

        /** Returns the bytes that a segment occupies here at least. */
        long blockBytes();

        /** Returns the size of the largest segment that can be moved here. */
        int maxSegmentBytes();
    }

    /** A partition at one moment. Immutable; equal when all of it is. */
    interface PartitionPlace {

        /** Returns the topic's name. */
        String topic();

        /** Returns the partition's number. */
        int partition();

        /** Returns the earliest offset that can be read. */
        long logStartOffset();

        /** Returns the offset where readers stop. */
        long visibleOffset();

        /**
         * Returns the labels of the tiers that its segments may be moved to, hottest first; without
         * tiers whose medium failed recently.
         */
        List<String> tiers();

        /**
         * Returns the offsets of the topic's cursors in this partition, by name; without those that
         * were never set in this partition.
         */
        Map<String, Long> cursors();

        /** Returns the segments in order; the last one may still be written to. */
        List<SegmentPlace> segments();
    }

    /** A segment at one moment. Immutable; equal when all of it is. */
    interface SegmentPlace {

        /** Returns the offset of its first record. */
        long baseOffset();

        /** Returns the offset after its last record. */
        long endOffset();

        /** Returns the bytes of its batches. */
        int bytes();

        /** Returns the bytes that it occupies in its tier. */
        long usedBytes();

        /** Returns the label of the tier that it is in, or is being moved to. */
        String tier();

        /**
         * Returns when it was sealed; empty while it is written to. If the clock was ahead then, so
         * that the time is still to come, it counts as sealed when the next segment was, or else
         * when the store first saw that.
         */
        Optional<Instant> sealTime();

        /** Returns whether it is sealed and not being moved. */
        boolean isMovable();
    }
}
