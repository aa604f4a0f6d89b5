package io.firn;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One log of a topic, for those that read it; {@link Partition} also has what writes. Always {@code
 * logStartOffset ≤ durableOffset ≤ nextOffset}. Thread-safe.
 *
 * @see Tailer
 */
public interface PartitionReader {

    /** Returns its topic. */
    TopicReader topic();

    /** Returns its number in the topic, from 0. */
    int index();

    /** Returns the earliest offset that can be read. */
    long logStartOffset();

    /** Returns the offset below which everything is durable. */
    long durableOffset();

    /** Returns the offset that the next record gets. */
    long nextOffset();

    /** Returns where readers of {@link IsolationLevel#READ_COMMITTED} records stop. */
    default long visibleOffset() {
        return visibleOffset(IsolationLevel.READ_COMMITTED);
    }

    /**
     * Returns where readers stop: the durable or the next offset, by the topic's durability, but
     * for {@link IsolationLevel#READ_COMMITTED} not above the first offset of a transaction that is
     * not decided.
     */
    long visibleOffset(IsolationLevel isolation);

    /** Opens a tailer at the earliest record. */
    Tailer openTailer();

    /**
     * Returns the first visible record with this timestamp (ms) or a later one; null when there is
     * none. Records of aborted transactions count.
     */
    default TimestampedOffset findTimestamp(long timestampMs) {
        return findTimestamp(timestampMs, IsolationLevel.READ_COMMITTED);
    }

    /** Returns the same, of the records up to where readers with an isolation stop. */
    TimestampedOffset findTimestamp(long timestampMs, IsolationLevel isolation);

    /**
     * Returns the first visible record with the largest timestamp; null when there is none. Records
     * of aborted transactions count.
     */
    default TimestampedOffset findLatestTimestamp() {
        return findLatestTimestamp(IsolationLevel.READ_COMMITTED);
    }

    /** Returns the same, of the records up to where readers with an isolation stop. */
    TimestampedOffset findLatestTimestamp(IsolationLevel isolation);

    /**
     * Returns the ranges that are known to be corrupted: found at open, and by reads since then.
     */
    List<DamagedRange> damage();

    /** Returns the partition's current metrics. */
    PartitionMetrics metrics();

    /**
     * A range of offsets that were durable and cannot be read because they are corrupted.
     * Immutable; equal when all of it is.
     */
    interface DamagedRange {

        /** Returns the first offset of the range. */
        long fromOffset();

        /** Returns the offset after the last one of the range. */
        long toOffset();

        /** Returns what was found. */
        String reason();
    }

    /** The offset and timestamp of a record. Immutable; equal when both are. */
    interface TimestampedOffset {

        /** Returns the offset. */
        long offset();

        /** Returns the timestamp, in ms since 1970. */
        long timestampMs();
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

        /** Returns the bytes of the batches that these have made durable. */
        default long forcedBytes() {
            return 0;
        }

        /** Returns the number of segments begun since open, without the first. */
        long rolls();

        /** Returns the number of appends since open that had to wait for a block. */
        long stalls();

        /**
         * Returns the bytes of segments that were filled and are not sealed yet, or not in their
         * final form, and of those that are being deleted. While there are too many, appends wait.
         */
        long backlogBytes();

        /**
         * Returns the number of records that retention has deleted since open although a cursor,
         * for which it waits up to a limit ({@link TopicOptions#retainUntilRead}), had not passed
         * them.
         */
        long unreadDeleted();

        /**
         * Returns the number of offsets that readers of committed records do not see yet although
         * others do: those from the first transaction on that is not decided, or whose marker could
         * not be appended.
         */
        long undecided();

        /** Returns whether it refuses appends because its medium failed. */
        boolean isPoisoned();

        /** Returns how far it is compacted; empty while its topic is not compacted. */
        default Optional<CompactionMetrics> compaction() {
            return Optional.empty();
        }
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

        /** Returns when the last of these ended; empty when there was none. */
        Optional<Instant> lastRunTime();

        /** Returns what the last of these has done; empty when there was none. */
        Optional<CompactionResult> lastRun();

        /**
         * Returns the error, for example an {@link OutOfMemoryError}, with which the last
         * compaction ended; empty when it returned. The store then compacts this partition no more
         * by itself until it is opened again or {@link LogStore#compact} returns, and {@link
         * LogStore#findings} says so.
         */
        Optional<Error> failure();
    }

    /** What a compaction of a partition has done. Immutable; equal when all of it is. */
    interface CompactionResult {

        /**
         * Returns the offset below which the latest record of each key is known now. It is less
         * than {@link #endOffset} when there were more keys than the memory for them has room for,
         * which is {@link LogStoreBuilder#compactionMemory} or less if little is to be compacted,
         * and when the compaction was cancelled; the next one continues there.
         */
        long compactedTo();

        /** Returns the offset up to which there was something that may be compacted. */
        long endOffset();

        /** Returns the number of different keys in the part that was not compacted before. */
        long keys();

        /** Returns the number of segments that were looked at. */
        int segmentsBefore();

        /** Returns the number of segments that are left of these. */
        int segmentsAfter();

        /** Returns the bytes of the batches in the segments that were looked at. */
        long bytesBefore();

        /** Returns the bytes of the batches in the segments that are left of these. */
        long bytesAfter();

        /** Returns the number of records that were removed. */
        long removedRecords();

        /**
         * Returns the number of records without a key that were met in segments that were
         * rewritten. They stay.
         */
        long keylessRecords();

        /**
         * Returns the segments that stay as they are although they were to be compacted, each with
         * the reason: because they are being moved, are damaged, their medium failed, or there is
         * no room. Their superseded records stay, and so do the tombstones after them. Some of them
         * are tried again only after 15 seconds or more: those whose medium failed, and those that
         * were skipped while there were more keys than memory.
         */
        List<String> skipped();

        /**
         * Returns the segments that have tombstones which stay although nothing is left that they
         * delete, each with their number: the time from which they may be removed takes some bytes,
         * and the segment, with all of its records, fills a block of its tier. When some of them
         * are superseded there is room.
         */
        List<String> full();
    }
}
