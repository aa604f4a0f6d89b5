package io.firn;

import java.nio.ByteBuffer;

/**
 * Whole Kafka record batches (magic 2), one behind the other, in the log's own memory. Held in
 * place until closed, by whichever thread is done with them; an open run keeps a segment's space
 * from coming back. A read-only store gives a copy of what lies in persistent memory: it cannot
 * keep the process that writes from using that memory again.
 */
public interface BatchRun extends AutoCloseable {

    /** The bytes, between position and limit; only to be read, and only before {@link #close}. */
    ByteBuffer bytes();

    /** Offset of the first record. */
    long baseOffset();

    /** Offset behind the last record. */
    long nextOffset();

    /** Lets go of the bytes. Idempotent. */
    @Override
    void close();
}
