package io.firn;

import java.nio.ByteBuffer;

/**
 * Consecutive Kafka record batches (magic 2) in the log's own memory. They stay in place until the
 * run is closed, which any thread may do; until then the segment's space is not freed. A read-only
 * store returns a copy of batches in persistent memory, because it cannot keep the writing process
 * from reusing that memory.
 */
public interface BatchRun extends AutoCloseable {

    /** The bytes, between position and limit; only to be read, and only before {@link #close}. */
    ByteBuffer bytes();

    /** Returns the offset of the first record. */
    long baseOffset();

    /** Returns the offset after the last record. */
    long nextOffset();

    /** Releases the bytes. Idempotent. */
    @Override
    void close();
}
