package io.firn.pmem;

import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A mapped pool file, and how stores into it become durable. Thread-safe; {@link #force} is on the
 * append path: it allocates nothing and is not affected by interrupts.
 */
interface PmemMemory {

    /**
     * Returns bytes of the file, big-endian, readable and, unless the pool is open read-only,
     * writable.
     *
     * @param position the position in the file; the range lies in the header or in one block
     */
    ByteBuffer bytes(long position, int length);

    /** Flushes the cache lines of a range and waits until they are in the persistence domain. */
    void force(long position, int length) throws IOException;

    /** Stores bytes and makes them durable, in the most efficient way of the provider. */
    default void storeAndForce(long position, byte[] source) throws IOException {
        try {
            bytes(position, source.length).put(0, source);
        } catch (InternalError e) {
            throw new IOException("a page of the pool is gone", e);
        }
        force(position, source.length);
    }

    /** Pages a range in, writable. Must not run concurrently with a writer of the range. */
    void prefault(long position, int length) throws IOException;

    /** Unmaps; the bytes must not be used any more. Idempotent. */
    void close();

    /** As {@link #close}, when a user may still hold a buffer; see {@link Mapping#abandon}. */
    default void abandon() {
        close();
    }
}
