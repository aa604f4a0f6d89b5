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

    /** Returns where readers of {@link Isolation#COMMITTED} records stop. */
    default long visibleOffset() {
        return visibleOffset(Isolation.COMMITTED);
    }

    /**
     * Returns where readers stop: the durable or the next offset, by the topic's durability, but
     * for {@link Isolation#COMMITTED} not above the first offset of a transaction that is not
     * decided.
     */
    long visibleOffset(Isolation isolation);

    /**
     * Opens an exclusive appender. While it is open, a {@code FirnServer} on the store refuses
     * records that clients send to the partition with a POLICY_VIOLATION. The server's own appender
     * does not keep it from being opened, except while a produce request is in progress.
     *
     * @throws AppenderBusyException when the partition has an appender that is not given up; says
     *     which
     */
    ExclusiveAppender openAppender();

    /**
     * Opens an appender for many threads. Several may be open.
     *
     * @throws AppenderBusyException when the partition has an exclusive appender
     */
    Appender openSharedAppender();

    /**
     * As {@link #openSharedAppender()}, for a holder that gives the appender up when an exclusive
     * one is wanted. After that its appends throw a {@link ClosedException}; another shared
     * appender can be opened when the exclusive one is closed.
     */
    Appender openSharedAppender(AppenderHolder holder);

    /** Opens a tailer at the earliest record. */
    Tailer openTailer();

    /** Opens a reader of whole batches up to the end of {@link Isolation#COMMITTED} records. */
    default BatchReader openBatchReader() {
        return openBatchReader(Isolation.COMMITTED);
    }

    /**
     * Opens a reader of whole batches. It returns those of aborted transactions and their markers,
     * too: {@link #abortedTransactions} says which they are.
     *
     * @param isolation where it stops
     */
    BatchReader openBatchReader(Isolation isolation);

    /**
     * Returns the aborted transactions that have offsets in a range, in the order of their last
     * offsets.
     *
     * @param from the first offset of the range
     * @param to the offset after it
     */
    List<AbortedTransaction> abortedTransactions(long from, long to);

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
     * none. Records of aborted transactions count.
     */
    default TimestampedOffset findTimestamp(long timestampMs) {
        return findTimestamp(timestampMs, Isolation.COMMITTED);
    }

    /** Returns the same, of the records up to where readers with an isolation stop. */
    TimestampedOffset findTimestamp(long timestampMs, Isolation isolation);

    /**
     * Returns the first visible record with the largest timestamp; null when there is none. Records
     * of aborted transactions count.
     */
    default TimestampedOffset findLatestTimestamp() {
        return findLatestTimestamp(Isolation.COMMITTED);
    }

    /** Returns the same, of the records up to where readers with an isolation stop. */
    TimestampedOffset findLatestTimestamp(Isolation isolation);

    /**
     * Makes the records below an offset unreadable, durably, and frees their segments' space as
     * soon as no reader holds them.
     *
     * @return the new log start offset
     * @throws InvalidOptionException when the offset is above the durable offset
     */
    long deleteRecordsBefore(long offset);

    /**
     * Returns how often the partition was truncated; other than 0 only in a replicated topic. Who
     * keeps an offset outside of this store, for example with a state that was built from the
     * records below it, keeps this number beside it, see {@link #truncatedSince}.
     *
     * @return after the file with it was lost, it goes on from a large random number; −1 in a
     *     read-only store until a writer has opened the store after that
     */
    long truncations();

    /**
     * Returns the lowest offset that the partition was truncated to after the first truncations;
     * {@link Long#MAX_VALUE} if there were no more. What was read below it is still there; other
     * records may have the offsets from there on. A tailer that was open, also in another process,
     * gets a {@link TruncatedException} instead.
     *
     * @param truncations an earlier result of {@link #truncations}, read before the records were
     * @return 0 if the partition does not know of so many: then its file was lost
     */
    long truncatedSince(long truncations);

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
