package io.firn;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;

/**
 * Records that are appended as one: after a crash all are there or none. From {@link
 * Appender#newBatch}; filled, appended, cleared, filled again; its memory grows to what was needed
 * and stays. Bytes are copied when they are handed in. Not thread-safe.
 *
 * <pre>{@code
 * batch.clear().add(key, value).add(null, other);
 * batch.key(k).value(v).header("trace", id).timestamp(now).add();
 * appender.append(batch);
 * }</pre>
 */
public interface Batch {

    /** Forgets everything, the producer too. */
    Batch clear();

    /** Adds a record with this key and value, either of which may be null. */
    default Batch add(byte[] key, byte[] value) {
        return key(key).value(value).add();
    }

    /** Adds a record with this value; null for a record without one. */
    default Batch add(byte[] value) {
        return value(value).add();
    }

    /** Adds a record with this value: the bytes between position and limit, which stay. */
    default Batch add(ByteBuffer value) {
        return value(value).add();
    }

    /** The next record's key; null for none. */
    default Batch key(byte[] key) {
        return key(key, 0, key == null ? 0 : key.length);
    }

    /** The next record's key; null for none. */
    Batch key(byte[] key, int from, int length);

    /** The next record's key: the bytes between position and limit, which stay. */
    Batch key(ByteBuffer key);

    /** The next record's key. */
    Batch key(DirectBuffer key, int from, int length);

    /** The next record's value; null for none. */
    default Batch value(byte[] value) {
        return value(value, 0, value == null ? 0 : value.length);
    }

    /** The next record's value; null for none. */
    Batch value(byte[] value, int from, int length);

    /** The next record's value: the bytes between position and limit, which stay. */
    Batch value(ByteBuffer value);

    /** The next record's value. */
    Batch value(DirectBuffer value, int from, int length);

    /** A header of the next record; its value may be null. */
    Batch header(String key, byte[] value);

    /** The next record's timestamp, in ms since 1970; without it, the time of {@link #add()}. */
    Batch timestamp(long timestampMs);

    /** Adds the record that was described since the last add. */
    Batch add();

    /**
     * Makes the batch idempotent: appended again after an answer was lost, it is not stored twice.
     *
     * @param producerId from {@link LogStore#newProducerId}
     * @param epoch of the producer, 0 to 32,767; a higher one shuts out the lower ones
     * @param sequence of the first record: that of the producer's last batch plus its count, 0 at
     *     first; behind 2,147,483,647 comes 0
     */
    Batch producer(long producerId, int epoch, int sequence);

    /** Number of records. */
    int count();

    /** Bytes so far, before compression. */
    int sizeBytes();
}
