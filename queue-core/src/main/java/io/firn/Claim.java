package io.firn;

import java.nio.ByteBuffer;

/**
 * A record that the caller writes in place and then appends or gives up, from {@link
 * ExclusiveAppender#tryClaim}. For one thread at a time.
 *
 * <p>All methods throw {@link IllegalStateException} when the claim was committed or aborted
 * before, and {@link ClosedException} when the appender or the store was closed.
 */
public interface Claim {

    /**
     * Returns the value's bytes, from index 0 to the buffer's limit, which is the claimed length;
     * big-endian unless changed. What they hold at first is undefined. Absolute and relative puts
     * are both fine: commit takes all bytes up to the claimed length, whatever the position and the
     * limit are by then.
     *
     * <p>Commit and abort end the buffer's use: its limit becomes 0, and a put throws. The next
     * claim gets the same buffer. It is not the log's own memory, so that no put, at whatever index
     * and however late, reaches another record.
     */
    ByteBuffer buffer();

    /** Returns the offset that the record gets. */
    long offset();

    /**
     * Appends the record and waits as {@link Appender#append} does.
     *
     * @return the record's offset
     */
    long commit();

    /**
     * Appends the record without waiting.
     *
     * @return the record's offset
     */
    long commitAsync();

    /** Gives the claim up: nothing is appended. */
    void abort();
}
