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

    /** Returns where readers stop: the durable or the next offset, by the topic's durability. */
    long visibleOffset();

    /**
     * Opens an exclusive appender.
     *
     * @throws AppenderBusyException when the partition has an appender
     */
    ExclusiveAppender openAppender();

    /**
     * Opens an appender for many threads. Several may be open.
     *
     * @throws AppenderBusyException when the partition has an exclusive appender
     */
    Appender openSharedAppender();

    /** Opens a tailer at the earliest record. */
    Tailer openTailer();

    /** Opens a reader of whole batches. */
    BatchReader openBatchReader();

    /**
     * Returns the base offset of the active segment: records from here on are in memory, earlier
     * ones may have to be read from a device. The next offset when there is no active segment.
     */
    long activeOffset();

    /**
     * Registers a listener that is called whenever the visible end advances, on the thread that
     * advanced it. See {@link VisibleListener#onVisible} for what it must not do.
     */
    void addVisibleListener(VisibleListener listener);

    /** Removes a listener; a call in progress may still arrive. */
    void removeVisibleListener(VisibleListener listener);

    /**
     * Returns the first visible record with this timestamp (ms) or a later one; null when there is
     * none.
     */
    TimestampedOffset findTimestamp(long timestampMs);

    /** Returns the first visible record with the largest timestamp; null when there is none. */
    TimestampedOffset findLatestTimestamp();

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
