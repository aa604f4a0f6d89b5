package io.firn.spi;

import java.io.IOException;

/**
 * A copy of a sealed segment that is being made in a tier. Until it is published, recovery ignores
 * it: a crash, or {@link #abandon}, leaves nothing of it. For one thread.
 */
public interface BlockCopy {

    /** Writes bytes at a position; positions ascend without gaps. */
    void write(int position, byte[] source, int offset, int length) throws IOException;

    /** Makes everything written durable. */
    void force() throws IOException;

    /**
     * Reads bytes back, for comparison with the source.
     *
     * @return the number of bytes read; fewer than requested only at the end
     */
    int read(int position, byte[] target, int offset, int length) throws IOException;

    /**
     * Makes the copy a sealed and finished segment, durable on return. The copy was forced before.
     *
     * @param index the offset index, may be empty
     * @param timeIndex the time index, may be empty
     * @return the segment; its mark is the one that the copy was begun with, except for the
     *     sequence
     * @throws IOException when it is not certain what a crash would leave; the caller then abandons
     *     the copy
     */
    Block publish(byte[] index, byte[] timeIndex) throws IOException;

    /** Deletes the copy, published or not, and frees its space. Idempotent. */
    void abandon() throws IOException;
}
