package io.firn;

import java.nio.ByteBuffer;

/**
 * Whole Kafka record batches (magic 2), one behind the other, in the log's own memory. Held in
 * place until closed, by whichever thread is done with them; an open run keeps a segment's space
 * from coming back. A read-only store gives a copy of what lies in persistent memory: it cannot
 * keep the process that writes from using that memory again.
 */
public interface BatchRun extends AutoCloseable {

    /**
     * Returns the bytes, between position and limit; only to be read, and only before {@link
     * #close}, after which the buffer's limit is 0. Slices and duplicates must not be touched after
     * close: on Java 17 to 21 that can end the JVM.
     */
    ByteBuffer bytes();

    /** Offset of the first record. */
    long baseOffset();

    /** Offset behind the last record. */
    long nextOffset();

    /** Lets go of the bytes. Idempotent. */
    @Override
    void close();
}
