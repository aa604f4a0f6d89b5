package io.firn;

/**
 * One log of a topic. Always {@code logStartOffset ≤ durableOffset ≤ nextOffset}. Thread-safe.
 *
 * @see Appender
 */
public interface Partition extends PartitionReader {

    @Override
    Topic topic();

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
}
