package io.firn.spi;

import java.io.IOException;

/**
 * A copy of a sealed segment that is being made in a tier. Until it is published it means nothing:
 * a crash, or {@link #abandon}, leaves nothing of it. For one thread.
 */
public interface SegmentCopy {

    /** Writes bytes at a place; the places ascend and leave no gap. */
    void write(int position, byte[] source, int offset, int length) throws IOException;

    /** Makes all that was written durable. */
    void force() throws IOException;

    /**
     * Reads bytes back, to be compared with the source.
     *
     * @return bytes read, fewer than asked for only at the end
     */
    int read(int position, byte[] target, int offset, int length) throws IOException;

    /**
     * Makes the copy a segment: sealed, finished, durably on return. It was forced before.
     *
     * @param index the offset index, may be empty
     * @param timeIndex the time index, may be empty
     * @return the segment; its mark is the one that the copy was begun with, sequence apart
     * @throws IOException when it is not certain what a crash would leave; the caller abandons
     */
    Segment publish(byte[] index, byte[] timeIndex) throws IOException;

    /** Takes away what there is of it, published or not, and gives its room back. Idempotent. */
    void abandon() throws IOException;
}
