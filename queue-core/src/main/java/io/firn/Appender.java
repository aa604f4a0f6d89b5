package io.firn;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.agrona.DirectBuffer;

/**
 * Appends to one partition. Methods named {@code append} return when the record is durable in a
 * {@link Durability#DURABLE} topic and written in a {@link Durability#WRITTEN} one. Those named
 * {@code tryAppend} store the record at once and do not wait until it is durable, of which {@link
 * #awaitDurable}, {@link #onDurable} and {@link #whenDurable} tell; or they store nothing and
 * return {@link #BACK_PRESSURED}. Both return the offset of the first record.
 *
 * <p>A batch is the atomic unit: after a crash all of its records are there or none. Nothing is
 * atomic across batches or partitions.
 *
 * <p>An interrupt does not disturb an append; the status stays set. In a topic that is compacted
 * ({@link CleanupPolicy}) each record needs a key.
 *
 * <p>An appender from {@link Partition#openAppender} is thread-safe: records of many threads share
 * forces. One from {@link Partition#openExclusiveAppender} is for one thread at a time, see {@link
 * ExclusiveAppender}. Arguments must not be null unless a method says that they may.
 *
 * <pre>{@code
 * try (Appender appender = topic.partition(0).openAppender()) {
 *     long offset = appender.append(key, value); // durable when it returns
 *     appender.append(appender.newBatch().add(key, value).add(key, other)); // one force for both
 * }
 * }</pre>
 */
public interface Appender extends AutoCloseable {

    /**
     * Returned by {@code tryAppend} when the next block is still being prepared: nothing was
     * appended, try again. It is the only negative result. {@code tryClaim} returns null in that
     * case. While no tier has room for a block, the answer is {@link StoreFullException} instead,
     * each time, until space is freed somewhere in the store or another look finds some; each
     * refused append asks for another look. The same holds when a file that the append needs could
     * not be opened for ten seconds.
     */
    long BACK_PRESSURED = -2;

    /**
     * Appends a record with this value and no key.
     *
     * @return its offset
     * @throws RecordTooLargeException when it is larger than the topic allows
     * @throws StoreFullException when no tier has room, or for ten seconds there was no file
     *     descriptor; it can be tried again later
     * @throws PoisonedException when the medium failed
     * @throws UnknownTopicException when the topic was deleted
     * @throws ClosedException after close, or when the store was closed
     * @throws InvalidOptionException when the topic is compacted, so that each record needs a key
     */
    long append(byte[] value);

    /**
     * Appends the bytes between position and limit, which do not change.
     *
     * @return its offset
     * @throws RecordTooLargeException as {@link #append(byte[])}
     * @throws StoreFullException as {@link #append(byte[])}
     * @throws PoisonedException as {@link #append(byte[])}
     * @throws UnknownTopicException as {@link #append(byte[])}
     * @throws ClosedException as {@link #append(byte[])}
     * @throws InvalidOptionException as {@link #append(byte[])}
     */
    long append(ByteBuffer value);

    /**
     * Appends a record with this value and no key: a part of a buffer, or of an array in one.
     *
     * @return its offset
     * @throws IndexOutOfBoundsException when the range is outside of the buffer
     * @throws RecordTooLargeException as {@link #append(byte[])}
     * @throws StoreFullException as {@link #append(byte[])}
     * @throws PoisonedException as {@link #append(byte[])}
     * @throws UnknownTopicException as {@link #append(byte[])}
     * @throws ClosedException as {@link #append(byte[])}
     * @throws InvalidOptionException as {@link #append(byte[])}
     */
    long append(DirectBuffer value, int from, int length);

    /**
     * Appends a record with this key and value, either of which may be null. It is not compressed.
     *
     * @return its offset
     * @throws RecordTooLargeException as {@link #append(byte[])}
     * @throws StoreFullException as {@link #append(byte[])}
     * @throws PoisonedException as {@link #append(byte[])}
     * @throws UnknownTopicException as {@link #append(byte[])}
     * @throws ClosedException as {@link #append(byte[])}
     * @throws InvalidOptionException when the key is null, and the topic is compacted
     */
    long append(byte[] key, byte[] value);

    /**
     * Appends a batch, which can be cleared and used again. Its records may have keys, headers and
     * timestamps, and the batch a producer or an expected offset, see {@link Batch}.
     *
     * @return the offset of its first record
     * @throws UnexpectedOffsetException when the next offset is not {@link Batch#expectedOffset}
     * @throws ProducerFencedException when {@link Batch#producer} has an epoch that a newer one has
     *     fenced
     * @throws RecordTooLargeException as {@link #append(byte[])}
     * @throws StoreFullException as {@link #append(byte[])}
     * @throws PoisonedException as {@link #append(byte[])}
     * @throws UnknownTopicException as {@link #append(byte[])}
     * @throws ClosedException as {@link #append(byte[])}
     * @throws InvalidOptionException when a record has no key, and the topic is compacted
     */
    long append(Batch batch);

    /**
     * As {@link #append(DirectBuffer, int, int)}, without waiting; or {@link #BACK_PRESSURED}. The
     * exceptions are the same.
     */
    long tryAppend(DirectBuffer value, int from, int length);

    /**
     * As {@link #append(Batch)}, without waiting; or {@link #BACK_PRESSURED}. The exceptions are
     * the same.
     */
    long tryAppend(Batch batch);

    /**
     * Appends a batch, without waiting until it is durable. Waits for a block as {@code append}
     * does, and throws what {@code append} throws before anything is stored. For those who compose
     * futures: it allocates, which {@code tryAppend} with {@link #onDurable} does not.
     *
     * @return completes with the first record's place when the batch is durable in a {@link
     *     Durability#DURABLE} topic, and is complete in a {@link Durability#WRITTEN} one; fails as
     *     {@link #whenDurable} does
     */
    CompletableFuture<RecordId> appendFuture(Batch batch);

    /**
     * Waits until the record at the offset, and all before it, are durable; forces when needed.
     *
     * @throws InvalidOptionException when there is no record at the offset yet
     */
    void awaitDurable(long offset);

    /**
     * Returns a future that completes with the durable offset when the record at the offset is
     * durable. It fails when that cannot happen any more: with {@link PoisonedException} when the
     * medium failed, {@link UnknownTopicException} when the topic was deleted, and {@link
     * ClosedException} when the store was closed, or this appender before the record was appended.
     * Allocates.
     *
     * @param offset of a record that is there or yet to come, 0 to {@link Long#MAX_VALUE} − 1
     * @throws InvalidOptionException when no record can have the offset
     */
    CompletableFuture<Long> whenDurable(long offset);

    /**
     * Sets the handler that is called as records become durable; allocation-free.
     *
     * @param handler called by a thread that forced, or that is still telling of an earlier force,
     *     so an append may return a little before; must be quick; what it throws is logged and
     *     otherwise ignored; may append with {@code tryAppend}, must not wait until more of the
     *     partition is durable: what waits throws {@link IllegalStateException} there; null for
     *     none
     */
    void onDurable(DurableHandler handler);

    /** Returns an empty batch for this appender's topic. */
    Batch newBatch();

    /**
     * Releases the partition so that another appender can be opened. Does not force. Idempotent.
     */
    @Override
    void close();

    /** Called when records of a partition have become durable. */
    @FunctionalInterface
    interface DurableHandler {

        /**
         * Called when everything below the offset is durable. Offsets ascend; calls do not overlap.
         */
        void onDurable(int partition, long durableOffset);
    }
}
