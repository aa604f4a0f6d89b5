package io.firn;

import java.nio.ByteBuffer;

/**
 * Consecutive Kafka record batches (magic 2) in the log's own memory. They stay in place until the
 * run is closed, which any thread may do; until then the segment's space is not freed. A read-only
 * store returns a copy of batches in persistent memory, because it cannot keep the writing process
 * from reusing that memory.
 */
public interface BatchRun extends AutoCloseable {

    /**
     * Returns the bytes, between position and limit; only to be read, and only before {@link
     * #close}, after which the buffer's limit is 0. Slices and duplicates must not be touched after
     * close: on Java 17 to 21 that can end the JVM.
     */
    ByteBuffer bytes();

    /** Returns the offset of the first record. */
    long baseOffset();

    /** Returns the offset after the last record. */
    long nextOffset();

    /** Releases the bytes. Idempotent. */
    @Override
    void close();
}
