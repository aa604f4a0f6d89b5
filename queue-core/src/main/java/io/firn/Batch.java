package io.firn;

import java.nio.ByteBuffer;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * Records that are appended as one: after a crash either all are there or none. Created by {@link
 * Appender#newBatch}. A batch can be filled, appended, cleared and filled again; its memory grows
 * as needed and is kept. Bytes are copied when they are passed in. Not thread-safe.
 *
 * <pre>{@code
 * batch.clear().add(key, value).add(null, other);
 * batch.key(k).value(v).header("trace", id).timestamp(now).add();
 * appender.append(batch);
 * }</pre>
 */
public interface Batch {

    /** Removes all records and settings, including the producer and the expected offset. */
    Batch clear();

    /** Adds a record with this key and value, either of which may be null. */
    default Batch add(byte[] key, byte[] value) {
        return key(key).value(value).add();
    }

    /** Adds a record without a key; a null value makes a record without a value. */
    default Batch add(byte[] value) {
        return value(value).add();
    }

    /** Adds a record with the bytes between position and limit, which do not change. */
    default Batch add(ByteBuffer value) {
        return value(value).add();
    }

    /** Sets the next record's key; null for none. */
    default Batch key(byte[] key) {
        return key(key, 0, key == null ? 0 : key.length);
    }

    /** Sets the next record's key; null for none. */
    Batch key(byte[] key, int from, int length);

    /** Sets the next record's key: the bytes between position and limit, which do not change. */
    Batch key(ByteBuffer key);

    /** Sets the next record's key. */
    Batch key(DirectBuffer key, int from, int length);

    /** Sets the next record's value; null for none. */
    default Batch value(byte[] value) {
        return value(value, 0, value == null ? 0 : value.length);
    }

    /** Sets the next record's value; null for none. */
    Batch value(byte[] value, int from, int length);

    /** Sets the next record's value: the bytes between position and limit, which do not change. */
    Batch value(ByteBuffer value);

    /** Sets the next record's value. */
    Batch value(DirectBuffer value, int from, int length);

    /** Adds a header to the next record; its value may be null. */
    Batch header(String key, byte[] value);

    /** Adds headers to the next record, for example those of a {@link StoredRecord}. */
    default Batch headers(List<StoredRecord.Header> headers) {
        for (int i = 0; i < headers.size(); i++) { // an iterator would be an object
            header(headers.get(i).key(), headers.get(i).value());
        }
        return this;
    }

    /**
     * Sets the next record's timestamp, in ms since 1970; by default the time of {@link #add()}.
     */
    Batch timestamp(long timestampMs);

    /**
     * Adds the record that was described since the last one; without a description, one that has
     * neither key nor value. To append a batch with a record that was described and not added
     * throws {@link InvalidOptionException}.
     */
    Batch add();

    /**
     * Makes the batch idempotent: if it is appended again, it is not stored twice.
     *
     * @param producerId an id from {@link io.firn.host.HostedStore#newProducerId}
     * @param epoch the producer's epoch, 0 to 32,767; a higher epoch fences all lower ones
     * @param sequence the sequence of the first record: 0 for the producer's first batch, then the
     *     sequence of the last batch plus its count; wraps to 0 after 2,147,483,647
     */
    Batch producer(long producerId, int epoch, int sequence);

    /**
     * Makes the batch conditional, for event sourcing: it is appended only if its first record gets
     * this offset; otherwise an append throws an {@link UnexpectedOffsetException} and stores
     * nothing.
     *
     * <p>After that, what was appended in between may not be visible to readers yet: in a {@link
     * Durability#DURABLE} topic it is being forced. Call {@code awaitDurable(e.nextOffset() - 1)},
     * read up to {@code e.nextOffset()}, and decide again.
     *
     * @param offset 0 or more
     */
    Batch expectedOffset(long offset);

    /** Returns the number of records. */
    int count();

    /** Returns the size in bytes, before compression. */
    int sizeBytes();
}
