package io.firn.host;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Consecutive Kafka record batches (magic 2) in the log's own memory. They stay in place until the
 * run is closed, which any thread may do; until then the segment's space is not freed. A read-only
 * store returns a copy of batches in persistent memory, because it cannot keep the writing process
 * from reusing that memory. {@code toString} names the partition, the offsets, and the place in the
 * segment, also after {@link #close}.
 *
 * @see HostedStore
 */
public interface BatchRun extends AutoCloseable {

    /**
     * Returns the bytes, between position and limit; only to be read, and only before {@link
     * #close}, after which the buffer's limit is 0. Slices and duplicates must not be touched after
     * close: on Java 17 to 21 that can end the JVM.
     */
    ByteBuffer bytes();

    /**
     * Returns where the bytes are in a file, so that the system can send them to a socket without a
     * copy ({@link FileChannel#transferTo}, {@code sendfile}). Bytes that wait in a socket are then
     * pages of the file, also after {@link #close}. So there is none for a replicated topic, whose
     * batches may be truncated, nor for a segment of another process, nor for persistent memory
     * behind llpl, nor if the process has many such files open already.
     *
     * @return null when there is none, or it cannot be opened
     */
    default FileRange fileRange() {
        return null;
    }

    /**
     * Bytes in a file, as many as {@link BatchRun#bytes} has.
     *
     * @param file open for reading until the run is closed, by the log and not by who has been
     *     given it; others use it at the same time, so its own position has no meaning
     * @param position of the first byte
     */
    record FileRange(FileChannel file, long position) {}

    /** Returns the offset of the first record. */
    long baseOffset();

    /** Returns the offset after the last record. */
    long nextOffset();

    /** Releases the bytes. Idempotent. */
    @Override
    void close();
}
