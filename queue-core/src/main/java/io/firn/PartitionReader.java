package io.firn;

import io.firn.Partition.DamagedRange;
import io.firn.Partition.TimestampedOffset;
import io.firn.StoreMetrics.PartitionMetrics;
import java.util.List;

/**
 * One log of a topic, for those that read it; {@link Partition} also has what writes. Always {@code
 * logStartOffset ≤ durableOffset ≤ nextOffset}. Thread-safe.
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
}
