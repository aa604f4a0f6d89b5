package io.firn.medium;

import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * An open file of a {@link FileMedium}. Thread-safe. Closing is idempotent and does not affect
 * mappings.
 *
 * @see io.firn.spi.StorageTier
 */
public interface MediumFile extends Closeable {

    /** Returns the file's size in bytes. */
    long size() throws IOException;

    /** Returns when the file was last written, in ms since 1970. */
    long modifiedMs() throws IOException;

    /**
     * Reads at a position.
     *
     * @return the number of bytes read; fewer than requested only at the end of the file
     */
    int read(long position, byte[] target, int offset, int length) throws IOException;

    /** Writes all of the bytes at a position, extending the file if needed. */
    void write(long position, byte[] source, int offset, int length) throws IOException;

    /**
     * Writes the bytes between a buffer's position and limit at a position of the file, extending
     * it if needed. On return the position of the buffer is its limit. Copies a direct buffer once,
     * and allocates nothing.
     *
     * @throws IOException when not all of the bytes are written; some of them may be
     */
    void write(long position, ByteBuffer source) throws IOException;

    /** Truncates the file, or extends it with a hole. */
    void setSize(long size) throws IOException;

    /** Makes everything written so far durable: the size, writes, and stores through mappings. */
    void force() throws IOException;

    /** Maps the first {@code length} bytes. */
    Mapping map(int length, boolean writable) throws IOException;

    /**
     * Maps an existing range of the file in any mode of the Java platform; for persistent memory. A
     * medium without such modes maps from the start only.
     *
     * @throws UnsupportedOperationException when this medium or machine has no such mode
     * @throws IOException when the system refuses
     */
    default Mapping map(FileChannel.MapMode mode, long position, int length) throws IOException {
        boolean writable = mode == FileChannel.MapMode.READ_WRITE;
        if (position != 0 || !(writable || mode == FileChannel.MapMode.READ_ONLY)) {
            throw new UnsupportedOperationException(
                    "this medium maps from a file's start and read-only or read-write, not "
                            + mode
                            + " from "
                            + position);
        }
        return map(length, writable);
    }

    /** A range of a {@link MediumFile}, mapped into memory. */
    interface Mapping {
        /**
         * The bytes of a page of memory, or a multiple. A store through a mapping may take space
         * for the whole of its page.
         */
        int PAGE = MemoryPage.bytes();

        /** Returns the mapped bytes, big-endian; callers use absolute access or a duplicate. */
        ByteBuffer buffer();

        /** Makes the stores into the range durable. */
        void force(int position, int length) throws IOException;

        /**
         * Pages a range in, so that the writer causes no page fault. Must not run concurrently with
         * a writer of the same range, because it loads bytes and stores them again.
         */
        void prefault(int position, int length) throws IOException;

        /**
         * Stores one byte of every page again. A load alone would not suffice: the writer would
         * still cause the fault that makes the page writable. Must not run concurrently with a
         * writer.
         *
         * @throws InternalError when a page is gone
         */
        static void makeWritable(ByteBuffer bytes) {
            for (int at = 0; at < bytes.capacity(); at += PAGE) {
                byte present = bytes.get(at);
                // Without it the compiler removes both, because the store changes nothing.
                VarHandle.fullFence();
                bytes.put(at, present);
            }
        }

        /** Unmaps; the buffer must not be used any more. Idempotent. */
        void unmap();

        /**
         * Releases bytes of which a user may still hold a buffer. From Java 22 on this unmaps them,
         * and an access through such a buffer throws an exception. In earlier versions the access
         * would end the JVM, so the bytes stay mapped until the garbage collector finds that no
         * buffer of them is reachable. Idempotent.
         *
         * @return whether the bytes stay mapped for now
         */
        boolean abandon();
    }
}
