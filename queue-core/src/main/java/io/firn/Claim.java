package io.firn;

import java.nio.ByteBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A record that the caller writes in place and then commits or aborts; returned by {@link
 * ExclusiveAppender#claim}. For one thread at a time.
 *
 * <p>All methods throw {@link IllegalStateException} when the claim was committed or aborted
 * before, and {@link ClosedException} when the appender or the store was closed.
 *
 * @see ExclusiveAppender
 */
public interface Claim {

    /**
     * Returns the value's bytes, from index 0 to the buffer's limit, which is the claimed length;
     * big-endian unless changed. Their initial content is undefined. Absolute and relative puts are
     * both allowed: commit appends all bytes up to the claimed length, regardless of the buffer's
     * position and limit.
     *
     * <p>After commit or abort the buffer's limit is 0, and puts throw. The next claim returns the
     * same buffer. It is not the log's own memory, so no put can ever change another record.
     */
    ByteBuffer buffer();

    /**
     * Returns the same bytes for encoders that write to an Agrona buffer, such as those that SBE
     * generates; its capacity is the claimed length. As in Agrona, numbers are in the machine's
     * byte order unless one is given.
     *
     * <p>After commit or abort its capacity is 0, and puts throw. The next claim returns the same
     * buffer. It cannot be wrapped around something else, and has neither an array nor an address
     * that another buffer could be wrapped around.
     */
    MutableDirectBuffer directBuffer();

    /** Returns the offset that the record gets. */
    long offset();

    /**
     * Appends the record and waits as {@link Appender#append} does.
     *
     * @return the record's offset
     */
    long commit();

    /**
     * Appends the record without waiting until it is durable.
     *
     * @return the record's offset
     */
    long commitWithoutWaiting();

    /** Abandons the claim; nothing is appended. */
    void abort();
}
