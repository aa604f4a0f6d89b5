package io.firn;

import java.nio.ByteBuffer;

/** Room for a value in the log, from {@link ExclusiveAppender#tryClaim}. Not thread-safe. */
public interface Claim {

    /**
     * Where to write: from the buffer's position to its limit, big-endian unless changed. Put
     * relatively, or add the position to each index: the buffer's index 0 is not the value's first
     * byte. Valid until commit or abort. A store outside of these bounds damages the log.
     */
    ByteBuffer buffer();

    /** Returns the offset that the record gets. */
    long offset();

    /** Appends the record and waits as {@link Appender#append} does; returns its offset. */
    long commit();

    /** Appends the record and returns its offset at once. */
    long commitAsync();

    /** Gives the room back; nothing is appended. */
    void abort();
}
