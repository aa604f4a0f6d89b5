package io.firn;

import java.nio.ByteBuffer;

/**
 * A record as it lies in the log. A flyweight: one object shows one record after another, and its
 * buffers point into the log itself; all of it is valid only inside the handler, and {@link #copy}
 * is for what is to be kept. The buffers are read-only, big-endian, and the same objects each time:
 * their position and limit are set anew by each call. Not thread-safe.
 *
 * <p>Outside of the handler, methods that return or read bytes throw {@link IllegalStateException}.
 * A buffer that was kept must not be used, and does no harm: it shows whatever the memory holds by
 * then, or throws once the segment is unmapped. On Java 17 to 21, where it could not throw, a
 * segment of which a buffer was handed out is unmapped by the garbage collector instead; a deleted
 * file keeps its space until then ({@code uncollectedBytes} in {@link StoreMetrics.TierMetrics}).
 * {@link #getValue} and {@link #copy} hand out no buffers.
 */
public interface Record {

    /** The partition it was read from. */
    int partition();

    /** Its number in the partition. */
    long offset();

    /** Its timestamp, in ms since 1970; the producer's, or the log's. */
    long timestamp();

    /** Whether it has a key. */
    boolean hasKey();

    /** Bytes of the key, −1 when there is none. */
    int keyLength();

    /** The key, between the buffer's position and limit; null when there is none. */
    ByteBuffer key();

    /** Whether it has a value; a record without one is Kafka's tombstone. */
    boolean hasValue();

    /** Bytes of the value, −1 when there is none. */
    int valueLength();

    /** The value, between the buffer's position and limit; null when there is none. */
    ByteBuffer value();

    /** Copies the value. */
    void getValue(byte[] target, int at);

    /** Number of headers. */
    int headerCount();

    /** The headers, from the first; one object, set anew by each call. */
    Headers headers();

    /** Everything in objects of its own, to keep. */
    StoredRecord copy();

    /** Walks over the headers of a record; valid only inside the handler. */
    interface Headers {

        /** Steps to the next header; false behind the last. */
        boolean next();

        /** The header's key. */
        String key();

        /** The header's value, between the buffer's position and limit; null when there is none. */
        ByteBuffer value();
    }
}
