package io.firn;

/**
 * Appends to any number of partitions, and moves of cursors, that take effect together or not at
 * all. Created by {@link LogStore#beginTransaction} or {@link Producer#beginTransaction}.
 *
 * <pre>{@code
 * try (Transaction tx = store.beginTransaction()) {      // close without commit aborts
 *     tx.append(accounts, from, debit);                  // a key and a value, or a batch
 *     tx.append(accounts, to, credit);
 *     tx.commitCursor(cursor, 0, record.offset() + 1);
 *     tx.commit();                                       // durable and visible when it returns
 * }
 * }</pre>
 *
 * <p>Nothing of it is visible to tailers with {@link IsolationLevel#READ_COMMITTED}, the default,
 * before it is committed. Until then they stop at its first record in each partition, also for
 * records that others append behind it; so keep transactions short. {@link
 * StoreMetrics#transactions} shows those that are open, and a warning is logged for one without a
 * named producer, which has no time-out, when it has been open for a minute. A commit makes the
 * data durable first, in {@link Durability#WRITTEN} topics, too, then the decision; from then on no
 * crash undoes it. Only what a transaction without a named producer appends to one partition of a
 * {@code WRITTEN} topic, if it moves no cursor, is written, not forced: when commit returns, it
 * survives a crash of the process, and a power cut within the topic's force interval may take it,
 * as a whole. A crash before that leaves nothing visible: an unnamed transaction is aborted when
 * the store is opened again, and so is one of a named {@link Producer} that moves cursors; any
 * other one of a named producer when that is opened again, or its time is out.
 *
 * <p>A transaction can be given up while the disk is full: {@link #abort} and {@link #close} end it
 * for their caller, and exclusive appenders may come to its partitions. The abort of a named
 * producer's transaction needs some room. Where there is none, the store tries again several times
 * a second. Until there is room, committed reads still stop at the transaction, and {@link
 * Producer#beginTransaction} throws a {@link BusyException}. A crash meanwhile is as one before a
 * commit.
 *
 * <p>Not thread-safe.
 */
public interface Transaction extends AutoCloseable {

    /** How far the last transaction of a producer is. */
    enum State {
        /** It has begun nothing since it was opened. */
        EMPTY,
        /** A transaction is open. */
        ONGOING,
        /** The commit is decided, and not all partitions have its marker. */
        COMMITTING,
        /** The abort is decided, and not all partitions have its marker. */
        ABORTING,
        /** Its last transaction was committed. */
        COMMITTED,
        /** Its last transaction was aborted. */
        ABORTED
    }

    /**
     * Appends a batch to a partition of the same store.
     *
     * @param batch from {@link Topic#newBatch} or {@link Appender#newBatch}; its producer is
     *     overwritten
     * @return the offset of its first record
     * @throws UnexpectedOffsetException when the next offset is not {@link Batch#expectedOffset};
     *     the transaction stays open
     * @throws BusyException when the partition has an exclusive appender
     * @throws IllegalStateException when the transaction has ended
     * @throws ProducerFencedException when the named producer was opened again, or the transaction
     *     was open for longer than its time-out, which aborts it; the producer has to be opened
     *     again then
     * @throws StoreFullException when no tier has room; the transaction stays open
     * @throws RecordTooLargeException when a record is larger than the topic allows, or with this
     *     partition the transaction could not be ended, because it has some 53,000 partitions where
     *     blocks have 4 MiB; it can be committed without it, or aborted
     */
    long append(Partition partition, Batch batch);

    /**
     * Appends a batch to a topic of the same store, in the partition of its records' keys as {@link
     * TopicAppender#append(Batch)}; without keys, always in the same one of a topic in this
     * transaction. Otherwise as {@link #append(Partition, Batch)}.
     *
     * @return the partition and the offset of its first record
     */
    RecordId append(Topic topic, Batch batch);

    /**
     * Appends a record with this key and value, either of which may be null, to a topic of the same
     * store. The partition is chosen as by {@link #append(Topic, Batch)}. It is not compressed.
     * Each such record is a batch of its own: where there are many for one partition, a {@link
     * Batch} takes less space and time.
     *
     * @return the partition and the offset of the record
     */
    RecordId append(Topic topic, byte[] key, byte[] value);

    /** As {@link #append(Topic, byte[], byte[])}, to a partition; returns the record's offset. */
    long append(Partition partition, byte[] key, byte[] value);

    /** As {@link #append(Partition, byte[], byte[])}, without a key. */
    default long append(Partition partition, byte[] value) {
        return append(partition, null, value);
    }

    /**
     * Moves a cursor of the same store, which may be one of a replicated topic, when the
     * transaction commits. With a named producer, the first move of a transaction waits for a write
     * into the journal. If a replicated topic was truncated meanwhile, the cursor moves at most to
     * its end: who handles a {@link TruncatedException} aborts what it has based on the records
     * that are gone.
     *
     * @param offset the offset of the next record to be read
     * @throws InvalidOptionException when the offset is below 0 or above the next offset, or the
     *     partition does not exist
     * @throws UnknownTopicException when the cursor's topic was deleted
     * @throws IllegalStateException when the transaction has ended
     * @throws RecordTooLargeException when with this move the transaction could not be ended,
     *     because it has some 30,000 moves; it can be committed without it, or aborted
     */
    void commitCursor(Cursor cursor, int partition, long offset);

    /**
     * Commits. All is durable and visible when it returns.
     *
     * @throws IllegalStateException when the transaction has ended
     * @throws ProducerFencedException when the named producer was opened again, or the time-out has
     *     passed; nothing is committed
     * @throws UnknownTopicException when a topic that it has appended to was deleted, and it was
     *     aborted therefore; one that has appended elsewhere may be committed there instead
     * @throws MediumException when a medium failed. Before the decision was written, the
     *     transaction is aborted; if the decision itself failed, it is decided when the store is
     *     opened again. The message says which
     * @throws StoreFullException when there is no room for the decision: the transaction is still
     *     open, and can be committed later, or aborted
     * @throws ClosedException when the store was closed: nothing is committed, unless it was closed
     *     meanwhile, and the message says that it is decided when the store is opened again
     */
    void commit();

    /**
     * Aborts: nothing of it is ever visible to committed reads. Does nothing after its end. On a
     * full disk the transaction ends for its caller, too; the abort is written when there is room.
     *
     * @throws MediumException when the medium of the decisions has failed: the store aborts it when
     *     it is opened again
     * @throws ClosedException when the store was closed: it is aborted when that is opened again,
     *     or when its named producer is
     */
    void abort();

    /** Aborts the transaction if it has not ended, as {@link #abort} does. Idempotent. */
    @Override
    default void close() {
        abort();
    }
}
