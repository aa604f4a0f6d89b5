package io.firn;

import io.firn.PartitionReader.PartitionMetrics;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Metrics of a store at one moment. Immutable; equal when all of them are.
 *
 * @see LogStore
 */
public interface StoreMetrics {

    /** Returns those of the tiers, hottest first. */
    List<TierMetrics> tiers();

    /**
     * Returns those of a tier.
     *
     * @throws InvalidOptionException when no tier has the label
     */
    default TierMetrics tier(String label) {
        return tiers().stream()
                .filter(tier -> tier.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new InvalidOptionException("no tier is '" + label + "'"));
    }

    /** Returns those of the partitions of all topics. */
    List<PartitionMetrics> partitions();

    /** Returns the number of failures of background work since open; each was logged. */
    long backgroundErrors();

    /**
     * Returns how many forces since open took at most so long, each by the next power of two of
     * microseconds; those of more than a minute by two minutes. Of forces that take less than 10 µs
     * every eighth is measured, and counts for eight. Forces that failed are not counted.
     */
    default SortedMap<Duration, Long> forceTimes() {
        return new TreeMap<>();
    }

    /** Returns the time of these forces. */
    default Duration totalForceTime() {
        return Duration.ZERO;
    }

    /**
     * Returns the bytes of sealed segments that were verified in the background since open; see
     * {@link LogStoreBuilder#scrubPeriod}.
     */
    default long scrubbedBytes() {
        return 0;
    }

    /**
     * Returns when the last complete verification of all sealed segments began; empty before the
     * first one was complete. Those that were sealed by then have been verified since.
     */
    default Optional<Instant> lastScrub() {
        return Optional.empty();
    }

    /**
     * Returns the transactions that readers of committed records wait for, oldest first: those that
     * are open, and those that have ended, but lack their marker in a partition.
     */
    default List<TransactionMetrics> transactions() {
        return List.of();
    }

    /** A transaction at one moment. Immutable; equal when all of it is. */
    interface TransactionMetrics {

        /** Returns the name of its producer; empty when it has none. */
        Optional<String> producer();

        /** Returns the id of its producer in its batches. */
        long producerId();

        /** Returns the epoch of its producer in its batches. */
        int producerEpoch();

        /** Returns how far it is. */
        Transaction.State state();

        /** Returns when it began; empty when it has ended. */
        Optional<Instant> startTime();

        /** Returns the partitions in which it is to be waited for. */
        List<Partition> partitions();
    }

    /** Whether a tier is drained. */
    enum Drain {
        /** It gets new segments. */
        NONE,
        /** It gets no new segments, and has some. */
        IN_PROGRESS,
        /** It has no segment, and the store can be opened without it. */
        DONE
    }

    /** Metrics of a tier at one moment. Immutable; equal when all of them are. */
    interface TierMetrics {

        /** Returns the label that the builder was given, or {@code tier-0} and so on. */
        String label();

        /** Returns the kind and place of the tier. */
        String name();

        /** Returns what a forced record survives there. */
        Survives survives();

        /** Returns its size; empty when only the file system limits it. */
        OptionalLong capacityBytes();

        /** Returns the bytes of blocks in use. */
        long usedBytes();

        /**
         * Returns the bytes that can still be written, by its size or the file system, whichever
         * has less; empty when that is not known.
         */
        default OptionalLong freeBytes() {
            return OptionalLong.empty();
        }

        /** Returns the number of segments with records in this tier. */
        int segments();

        /**
         * Returns the number of segments begun here since open because a hotter tier was full or
         * failed.
         */
        long spilledSegments();

        /** Returns the space of these. */
        long spilledBytes();

        /** Returns the bytes moved from here to colder tiers since open. */
        long movedDownBytes();

        /** Returns the bytes moved from here to hotter tiers since open. */
        long movedUpBytes();

        /** Returns the number of moves from or to this tier in progress. */
        int movesInFlight();

        /**
         * Returns whether new segments and copies are put here; false for a while after its medium
         * failed, and while it is drained.
         */
        boolean isInRotation();

        /**
         * Returns whether it is drained; see {@link LogStore#drain(String, LogStore.MoveControl)}.
         */
        Drain drain();

        /**
         * Returns the last failure in this tier, which may be a lack of room; empty when there was
         * none.
         */
        Optional<String> lastError();

        /**
         * Returns the bytes that are still mapped although nothing reads them; always 0 from Java
         * 22 on. On Java 17 to 21, bytes whose buffers were handed out stay mapped until the
         * garbage collector finds that no buffer is in use, and a deleted file keeps its space that
         * long.
         */
        long uncollectedBytes();
    }
}
