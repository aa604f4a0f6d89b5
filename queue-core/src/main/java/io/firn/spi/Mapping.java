package io.firn.spi;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes of a {@link MediumFile} in memory. */
public interface Mapping {

    /** The mapped bytes, big-endian; callers use absolute access or a duplicate. */
    ByteBuffer buffer();

    /** Makes the stores into the range durable. */
    void force(int position, int length) throws IOException;

    /**
     * Brings every page in, so that the writer takes no page fault. Never beside a writer: bytes
     * are read and stored back.
     */
    void prefault() throws IOException;

    /** Unmaps; nobody may touch the buffer from now on. Idempotent. */
    void unmap();
}
