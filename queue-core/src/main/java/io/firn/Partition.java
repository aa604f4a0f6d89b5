package io.firn;

import java.util.List;

/** One log of a topic. Always {@code logStartOffset ≤ durableOffset ≤ nextOffset}. Thread-safe. */
public interface Partition {

    /** Returns its topic. */
    Topic topic();

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

    /**
     * Opens an exclusive appender, the only one of the partition and the fastest. While it is open,
     * a {@code FirnServer} on the store refuses records that clients send to the partition with a
     * POLICY_VIOLATION. The server's own appender does not keep it from being opened, except while
     * a produce request is in progress.
     *
     * @throws BusyException when the partition has an appender that is not given up; says which
     */
    ExclusiveAppender openExclusiveAppender();

    /**
     * Opens an appender for many threads. Several may be open, also while a server appends to the
     * partition and transactions do.
     *
     * @throws BusyException when the partition has an exclusive appender
     */
    Appender openAppender();

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
     * Makes the records below an offset unreadable, durably, and frees their segments' space as
     * soon as no reader holds them.
     *
     * @return the new log start offset
     * @throws InvalidOptionException when the offset is above the durable offset
     */
    long deleteRecordsBefore(long offset);

    /**
     * Makes everything that has been written durable.
     *
     * @throws InvalidOptionException when the store is open read-only and not everything is durable
     *     yet
     */
    void force();

    /**
     * Returns the ranges that are known to be corrupted: found at open, and by reads since then.
     */
    List<DamagedRange> damage();

    /** Returns the partition's current metrics. */
    PartitionMetrics metrics();
}
