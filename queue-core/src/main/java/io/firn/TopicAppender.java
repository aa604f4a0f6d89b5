package io.firn;

import java.util.concurrent.CompletableFuture;

/**
 * Appends to a topic. Chooses the partition as Kafka's Java producer does: by murmur2 of the key.
 * Records without a key go to one partition until about a batch of bytes went there, then to
 * another one. Thread-safe; it holds a shared appender on each partition, which {@link #partition}
 * returns for everything else, such as {@link Appender#tryAppend(Batch)}.
 *
 * <pre>{@code
 * try (TopicAppender appender = topic.openAppender()) {
 *     RecordId id = appender.append(key, value); // in the partition of the key
 * }
 * }</pre>
 */
public interface TopicAppender extends AutoCloseable {

    /**
     * Appends one record and waits as {@link Appender#append(byte[], byte[])} does.
     *
     * @param key or null
     * @param value or null
     * @return the partition and offset of the record
     * @throws RecordTooLargeException when it is larger than the topic allows
     * @throws StoreFullException when no tier has room
     * @throws PoisonedException when the medium of the partition failed
     * @throws ClosedException after close, or when the store was closed
     */
    RecordId append(byte[] key, byte[] value);

    /**
     * Appends a batch as {@link Appender#append(Batch)} does, to the partition of its records'
     * keys; records without a key go with the others.
     *
     * @return the place of the first record
     * @throws IllegalArgumentException when keys of the batch belong to different partitions:
     *     nothing is appended, since a batch is in one partition
     * @throws RecordTooLargeException as {@link #append(byte[], byte[])}
     * @throws StoreFullException as {@link #append(byte[], byte[])}
     * @throws PoisonedException as {@link #append(byte[], byte[])}
     * @throws ClosedException as {@link #append(byte[], byte[])}
     */
    RecordId append(Batch batch);

    /** As {@link Appender#appendFuture}, to the partition of {@link #append(Batch)}. */
    CompletableFuture<RecordId> appendFuture(Batch batch);

    /**
     * Waits until a record and all before it in its partition are durable, as {@link
     * Appender#awaitDurable}.
     */
    default void awaitDurable(RecordId id) {
        partition(id.partition()).awaitDurable(id.offset());
    }

    /** Returns an empty batch for this appender's topic. */
    Batch newBatch();

    /**
     * Returns the partition that a key goes to.
     *
     * @param key not null: records without a key have no fixed partition
     */
    int partitionFor(byte[] key);

    /**
     * Returns the appender of one partition, for everything else; closed with this one.
     *
     * @throws InvalidOptionException when the topic had no such partition when this was opened
     */
    Appender partition(int partition);

    /** Closes the appenders of all partitions. Idempotent. */
    @Override
    void close();
}
