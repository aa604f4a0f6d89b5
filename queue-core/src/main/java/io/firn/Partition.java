package io.firn;

import java.util.List;

/** One log of a topic. {@code logStartOffset ≤ durableOffset ≤ nextOffset}, always. Thread-safe. */
public interface Partition {

    /** Its topic. */
    Topic topic();

    /** Its number in the topic, from 0. */
    int index();

    /** The earliest offset that can be read. */
    long logStartOffset();

    /** Everything below it is durable. */
    long durableOffset();

    /** The offset that the next record gets. */
    long nextOffset();

    /** Where readers stop: durable or next offset, by the topic's durability. */
    long visibleOffset();

    /**
     * Opens the only appender.
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
     * Where the segment begins that is written to: what lies from here on is in memory, what lies
     * before may have to be brought in. The next offset when there is none.
     */
    long activeOffset();

    /**
     * Registers a listener that is called whenever the visible end advances, on the thread that
     * advanced it. See {@link VisibleListener#onVisible} for what it must not do.
     */
    void addVisibleListener(VisibleListener listener);

    /** Removes a listener; a call that is under way may still come. */
    void removeVisibleListener(VisibleListener listener);

    /**
     * The first offset whose record has this timestamp (ms) or a later one; the visible end when
     * there is none.
     */
    long offsetForTimestamp(long timestampMs);

    /**
     * The first visible record with this timestamp (ms) or a later one; null when there is none.
     */
    TimestampedOffset findTimestamp(long timestampMs);

    /** The first visible record of those with the largest timestamp; null when there is none. */
    TimestampedOffset findLatestTimestamp();

    /**
     * Makes the records below an offset unreadable, durably, and gives their segments' space back
     * as soon as no reader holds them.
     *
     * @return the new log start offset
     * @throws InvalidOptionException when the offset is above the durable offset
     */
    long deleteRecordsBefore(long offset);

    /**
     * Makes everything that is written now durable.
     *
     * @throws InvalidOptionException when the store is open read-only and not all of it is
     */
    void force();

    /** What was destroyed, as far as it is known: from opening, and from reading since. */
    List<DamagedRange> damage();

    /** Segments and bytes, now. */
    PartitionMetrics metrics();
}
