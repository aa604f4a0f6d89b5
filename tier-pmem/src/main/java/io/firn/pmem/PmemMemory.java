package io.firn.pmem;

import io.firn.spi.Mapping;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A pool file in memory, and the way in which stores into it become durable. Thread-safe; {@link
 * #force} is on the append path: it allocates nothing and is not disturbed by interrupts.
 */
interface PmemMemory {

    /**
     * Bytes of the file, big-endian, readable and, unless the pool is open read-only, writable.
     *
     * @param position in the file; what is asked for lies in the header or in one block
     */
    ByteBuffer bytes(long position, int length);

    /** Flushes the cache lines of a range and waits until they are in the persistence domain. */
    void force(long position, int length) throws IOException;

    /** Stores bytes and makes them durable, by whatever does both best here. */
    default void storeAndForce(long position, byte[] source) throws IOException {
        try {
            bytes(position, source.length).put(0, source);
        } catch (InternalError e) {
            throw new IOException("a page of the pool is gone", e);
        }
        force(position, source.length);
    }

    /** Brings a range into memory, writable. Never beside a writer of the same range. */
    void prefault(long position, int length) throws IOException;

    /** Unmaps; nobody may touch the bytes from now on. Idempotent. */
    void close();

    /** As {@link #close}, when a user may still hold a buffer; see {@link Mapping#abandon}. */
    default void abandon() {
        close();
    }
}
