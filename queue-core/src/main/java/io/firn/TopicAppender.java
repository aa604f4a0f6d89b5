package io.firn;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Appends to a topic. Chooses the partition as Kafka's Java producer does: by murmur2 of the key.
 * Records without a key go to one partition until about a batch of bytes went there, then to
 * another one. Thread-safe; it holds a shared appender on each partition.
 */
public interface TopicAppender extends AutoCloseable {

    /**
     * Appends one record and waits as {@link Appender#append(Batch)} does.
     *
     * @param key or null
     * @param value or null
     * @return the partition and offset of the record
     */
    default RecordId append(byte[] key, byte[] value) {
        return append(key, value, List.of());
    }

    /** As {@link #append(byte[], byte[])}, with headers. */
    RecordId append(byte[] key, byte[] value, List<StoredRecord.Header> headers);

    /**
     * Appends a batch as {@link Appender#append(Batch)} does, to the partition of records without a
     * key; keys in the batch do not choose. For records that have one key: {@code
     * partition(partitionFor(key)).append(batch)}.
     *
     * @return the place of the first record
     */
    RecordId append(Batch batch);

    /**
     * As {@link #append(byte[], byte[])}, without waiting.
     *
     * @return null when the partition's next block is still being prepared ({@link
     *     Appender#BACK_PRESSURED}): nothing was appended, try again
     */
    default RecordId tryAppend(byte[] key, byte[] value) {
        return tryAppend(key, value, List.of());
    }

    /** As {@link #tryAppend(byte[], byte[])}, with headers. */
    RecordId tryAppend(byte[] key, byte[] value, List<StoredRecord.Header> headers);

    /** As {@link #append(Batch)}, without waiting; or null as {@link #tryAppend}. */
    RecordId tryAppend(Batch batch);

    /** As {@link Appender#appendFuture(byte[], byte[])}. */
    default CompletableFuture<RecordId> appendFuture(byte[] key, byte[] value) {
        return appendFuture(key, value, List.of());
    }

    /** As {@link Appender#appendFuture(byte[], byte[], List)}. */
    CompletableFuture<RecordId> appendFuture(
            byte[] key, byte[] value, List<StoredRecord.Header> headers);

    /** As {@link Appender#appendFuture(Batch)}, to the partition of {@link #append(Batch)}. */
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

    /** Returns the partition that a key goes to. */
    int partitionFor(byte[] key);

    /** Returns the appender of one partition, for everything else; closed with this one. */
    Appender partition(int partition);

    /** Closes the appenders of all partitions. Idempotent. */
    @Override
    void close();
}
