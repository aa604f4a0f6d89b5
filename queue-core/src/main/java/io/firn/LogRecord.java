package io.firn;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;

/**
 * A record as it is stored in the log. A flyweight: one object shows one record after another, and
 * its buffers point into the log itself. It is valid only inside the handler; use {@link #copy} to
 * keep a record. The buffers are read-only, big-endian, and the same objects each time: their
 * position and limit are set anew by each call. Not thread-safe.
 *
 * <p>Outside of the handler, methods that return or read bytes throw {@link IllegalStateException}.
 * A buffer that was kept must not be used, although it cannot do harm: it shows whatever the memory
 * contains by then, or throws once the segment is unmapped. On Java 17 to 21, where it could not
 * throw, a segment of which a buffer was handed out is unmapped by the garbage collector instead; a
 * deleted file keeps its space until then ({@code uncollectedBytes} in {@link
 * StoreMetrics.TierMetrics}). {@link #getValue} and {@link #copy} hand out no buffers.
 *
 * @see Tailer
 */
public interface LogRecord {

    /** Returns the partition it was read from. */
    int partition();

    /** Returns its offset in the partition. */
    long offset();

    /** Returns its timestamp, in ms since 1970: the producer's, or the time of the append. */
    long timestamp();

    /** Returns whether it has a key. */
    boolean hasKey();

    /** Returns the length of the key in bytes; −1 when there is none. */
    int keyLength();

    /** Returns the key, between the buffer's position and limit; null when there is none. */
    ByteBuffer key();

    /** As {@link #directValue}, for the key; null when there is none. */
    DirectBuffer directKey();

    /** Returns whether it has a value; in Kafka, a record without one is a tombstone. */
    boolean hasValue();

    /** Returns the length of the value in bytes; −1 when there is none. */
    int valueLength();

    /** Returns the value, between the buffer's position and limit; null when there is none. */
    ByteBuffer value();

    /**
     * Returns the value for decoders that read from an Agrona buffer, such as those that SBE
     * generates: index 0 is its first byte, and the capacity its length; null when there is none.
     * As in Agrona, numbers are in the machine's byte order unless one is given. The buffer is the
     * same object each time, and shows what it showed last until this method is called again.
     * Outside of the handler its capacity is 0. It cannot be wrapped around something else, and has
     * neither an array nor an address that another buffer could be wrapped around; its {@code
     * getBytes} copy.
     */
    DirectBuffer directValue();

    /** Copies the value into an array, starting at an index. */
    void getValue(byte[] target, int at);

    /** Returns the number of headers. */
    int headerCount();

    /** Returns the headers, before the first; the same object each time. */
    Headers headers();

    /** Copies the record, so that it can be kept. */
    StoredRecord copy();

    /** Iterates over the headers of a record; valid only inside the handler. */
    interface Headers {

        /** Moves to the next header; returns false after the last. */
        boolean next();

        /** Returns the header's key. */
        String key();

        /** Returns the value, between the buffer's position and limit; null when there is none. */
        ByteBuffer value();
    }
}
