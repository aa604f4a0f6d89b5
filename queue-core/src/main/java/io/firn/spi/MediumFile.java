package io.firn.spi;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * An open file of a {@link FileMedium}. Thread-safe; closing is idempotent and leaves mappings
 * alone.
 */
public interface MediumFile extends Closeable {

    /** The file's size in bytes. */
    long size() throws IOException;

    /** When the file was last written, in ms since 1970. */
    long modifiedMs() throws IOException;

    /**
     * Reads at a place.
     *
     * @return bytes read; fewer than asked for only at the end of the file
     */
    int read(long position, byte[] target, int offset, int length) throws IOException;

    /** Writes all of the bytes at a place, extending the file when needed. */
    void write(long position, byte[] source, int offset, int length) throws IOException;

    /** Cuts the file, or extends it with a hole. */
    void setSize(long size) throws IOException;

    /** Makes what was written so far, and the size, durable; with stores through mappings. */
    void force() throws IOException;

    /** Maps the first {@code length} bytes. */
    Mapping map(int length, boolean writable) throws IOException;

    /**
     * Maps a piece of the file, which has those bytes, in any mode that the Java platform knows;
     * for persistent memory. A medium without such modes maps from the start only.
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
}
