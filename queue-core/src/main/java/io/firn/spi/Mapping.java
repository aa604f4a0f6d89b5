package io.firn.spi;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/** Bytes of a {@link MediumFile} in memory. */
public interface Mapping {
    /** Bytes of a page of the processor's. */
    int PAGE = 4096;

    /** The mapped bytes, big-endian; callers use absolute access or a duplicate. */
    ByteBuffer buffer();

    /** Makes the stores into the range durable. */
    void force(int position, int length) throws IOException;

    /**
     * Pages everything in, so that the writer gets no page fault. Never beside a writer: bytes
     * are read and stored back.
     */
    void prefault() throws IOException;

    /**
     * Stores into every page of mapped bytes what it holds: a load alone would leave the fault that
     * makes the page writable to the writer. Never beside one.
     *
     * @throws InternalError when a page is gone
     */
    static void makeWritable(ByteBuffer bytes) {
        for (int at = 0; at < bytes.capacity(); at += PAGE) {
            byte present = bytes.get(at);
            // Without it the compiler finds that the store changes nothing, and drops both.
            VarHandle.fullFence();
            bytes.put(at, present);
        }
    }

    /** Unmaps; nobody may touch the buffer from now on. Idempotent. */
    void unmap();
}
