package io.firn.examples;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads the lines of a file, each with its newline, which the last one may lack. Lines consist of
 * bytes, not characters, so any file can be read. A line is valid until {@link #next} is called
 * again. Not thread-safe.
 */
final class Lines implements AutoCloseable {
    /** The longest line that is accepted, to limit the heap that is needed. */
    static final int MAX_LINE = 256 << 20;

    private static final int READ_AT_ONCE = 1 << 20;

    private final Path file;
    private final InputStream in;
    private byte[] bytes = new byte[2 * READ_AT_ONCE];
    private int filled;
    private int from;
    private int to;
    private long count;
    private long position;

    Lines(Path file) throws IOException {
        this.file = file;
        this.in = Files.newInputStream(file);
    }

    /** Moves to the next line; returns false after the last. */
    boolean next() throws IOException {
        from = to;
        int at = from;
        while (true) {
            while (at < filled && bytes[at] != '\n') {
                at++;
            }
            if (at < filled) {
                return endAt(at + 1);
            }
            at -= from;
            if (!fill()) {
                return filled > from && endAt(filled);
            }
        }
    }

    private boolean endAt(int end) {
        to = end;
        count++;
        position += to - from;
        return true;
    }

    /** Moves the rest of the line to the front and reads more; false at the end of the file. */
    private boolean fill() throws IOException {
        System.arraycopy(bytes, from, bytes, 0, filled - from);
        filled -= from;
        from = 0;
        to = 0;
        if (filled > MAX_LINE) {
            throw new IOException(
                    file + ": line " + (count + 1) + " has more than " + MAX_LINE + " bytes");
        }
        if (bytes.length - filled < READ_AT_ONCE) {
            bytes = Arrays.copyOf(bytes, bytes.length * 2);
        }
        int n = in.read(bytes, filled, READ_AT_ONCE);
        filled += Math.max(n, 0);
        return n >= 0;
    }

    /** Skips a number of lines. */
    void skip(long lines) throws IOException {
        for (long i = 0; i < lines; i++) {
            if (!next()) {
                throw new EOFException(file + " has become shorter: it has only " + i + " lines");
            }
        }
    }

    /** Returns the array that contains the line. */
    byte[] bytes() {
        return bytes;
    }

    /** Returns the index in {@link #bytes} at which the line begins. */
    int from() {
        return from;
    }

    /** Returns the length of the line, including its newline. */
    int length() {
        return to - from;
    }

    /** Returns the number of lines read so far. */
    long count() {
        return count;
    }

    /** Returns the number of bytes in the lines read so far. */
    long position() {
        return position;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
