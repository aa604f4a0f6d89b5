package io.firn;

import java.util.List;

/** Metrics of a store at one moment. Immutable; equal when all of them are. */
public interface StoreMetrics {

    /** Returns those of the tiers, hottest first. */
    List<TierMetrics> tiers();

    /** Returns those of the partitions of all topics. */
    List<PartitionMetrics> partitions();

    /** Returns the number of failures of background work since open; each was logged. */
    long backgroundErrors();

    /**
     * Returns the transactions that readers of committed records wait for, oldest first: those that
     * are open, and those that have ended, but lack their marker in a partition.
     */
    default List<TransactionMetrics> transactions() {
        return List.of();
    }

    /** A transaction at one moment. Immutable; equal when all of it is. */
    interface TransactionMetrics {

        /** Returns the name of its producer; null when it has none. */
        String producer();

        /** Returns the id of its producer in its batches. */
        long producerId();

        /** Returns the epoch of its producer in its batches. */
        int producerEpoch();

        /** Returns how far it is. */
        Transaction.State state();

        /** Returns when it began, in ms since 1970; −1 when it has ended. */
        long startMs();

        /** Returns the partitions in which it is to be waited for. */
        List<Partition> partitions();
    }

    /** Metrics of a tier at one moment. Immutable; equal when all of them are. */
    interface TierMetrics {

        /** Returns the label that the builder was given. */
        String label();

        /** Returns the kind and place of the tier. */
        String name();

        /** Returns what a forced record survives there. */
        Survives survives();

        /** Returns its size; {@link Long#MAX_VALUE} when only the file system limits it. */
        long capacityBytes();

        /** Returns the bytes of blocks in use. */
        long usedBytes();

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
         * failed.
         */
        boolean inRotation();

        /**
         * Returns the last failure in this tier, which may be a lack of room; null when there was
         * none.
         */
        String lastError();

        /**
         * Returns the bytes that are still mapped although nothing reads them: on Java 17 to 21,
         * bytes whose buffers were handed out stay mapped until the garbage collector finds that
         * nobody holds one, and a deleted file keeps its space that long; always 0 from Java 22 on.
         */
        long uncollectedBytes();
    }

    /** Metrics of a partition at one moment. Immutable; equal when all of them are. */
    interface PartitionMetrics {

        /** Returns the topic's name. */
        String topic();

        /** Returns the partition's number. */
        int partition();

        /** Returns the earliest offset that can be read. */
        long logStartOffset();

        /** Returns the offset below which everything is durable. */
        long durableOffset();

        /** Returns the offset that the next record gets. */
        long nextOffset();

        /** Returns the number of segments with records. */
        int segments();

        /** Returns the bytes of the batches in them. */
        long bytes();

        /** Returns the number of forces since open. */
        long forces();

        /** Returns the number of segments begun since open, without the first. */
        long rolls();

        /** Returns the number of appends since open that had to wait for a block. */
        long stalls();

        /**
         * Returns the number of records that retention has deleted since open although a cursor had
         * not passed them for which it was to wait ({@link TopicOptions#retainUntilRead}).
         */
        long unreadDeleted();

        /**
         * Returns the number of offsets that readers of committed records do not see yet although
         * others do: those from the first transaction on that is not decided, or whose marker could
         * not be appended.
         */
        long undecided();

        /** Returns whether it refuses appends because its medium failed. */
        boolean poisoned();

        /** Returns how far it is compacted; null while its topic is not compacted. */
        default CompactionMetrics compaction() {
            return null;
        }
    }

    /**
     * How far a cursor is behind the visible end of a partition, at one moment. Immutable; equal
     * when all of it is.
     */
    interface CursorMetrics {

        /** Returns the cursor's name. */
        String cursor();

        /** Returns the partition's number. */
        int partition();

        /**
         * Returns the cursor's position in the partition; −1 when it has none and is listed because
         * {@link TopicOptions#retainUntilRead} names it.
         */
        long offset();

        /**
         * Returns the number of offsets from the next record to the visible end, without those
         * below the log start; 0 when no record follows the cursor, though compaction may have left
         * offsets without records there.
         */
        long lagRecords();

        /**
         * Returns the bytes of their batches; in the cursor's segment it is estimated as if all
         * records had the same size.
         */
        long lagBytes();

        /**
         * Returns the age in ms, by its timestamp and the store's clock, of the next record; 0 when
         * there is none, −1 when it cannot be read.
         */
        long lagMs();
    }

    /**
     * How far a partition of a compacted topic is compacted. Immutable; equal when all of it is.
     */
    interface CompactionMetrics {

        /**
         * Returns the part of the bytes that may be compacted now and were not compacted yet, from
         * 0 to 1; see {@link TopicOptions}.
         */
        double dirtyRatio();

        /** Returns the number of compactions since open. */
        long runs();

        /** Returns the bytes of batches that these have removed. */
        long savedBytes();

        /** Returns when the last of these ended, in ms since 1970; −1 when there was none. */
        long lastRunMs();

        /** Returns what the last of these has done; null when there was none. */
        CompactionResult lastRun();

        /**
         * Returns the error, for example an {@link OutOfMemoryError}, with which the last
         * compaction ended; null when it returned. The store then compacts this partition no more
         * by itself until it is opened again or {@link LogStore#compact} returns, and {@link
         * LogStore#findings} says so.
         */
        Error failure();
    }
}
