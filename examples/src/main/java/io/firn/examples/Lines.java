package io.firn.examples;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The lines of a file, each with its newline; the last one may lack it. Bytes, not characters: any
 * file will do. Only what {@link #next} showed last is valid. Not thread-safe.
 */
final class Lines implements AutoCloseable {
    /** Longer ones would not be good for the heap. */
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

    /** Steps to the next line; false after the last. */
    boolean next() throws IOException {
        from = to;
        int at = from;
        while (true) {
            while (at < filled && bytes[at] != '\n') {
                at++;
            }
            if (at < filled) {
                return show(at + 1);
            }
            at -= from;
            if (!fill()) {
                return filled > from && show(filled);
            }
        }
    }

    private boolean show(int end) {
        to = end;
        count++;
        position += to - from;
        return true;
    }

    /** Reads on; what is left of the line moves to the front. False at the end of the file. */
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

    /** Steps over so many lines. */
    void skip(long lines) throws IOException {
        for (long i = 0; i < lines; i++) {
            if (!next()) {
                throw new EOFException(file + " has become shorter: it has only " + i + " lines");
            }
        }
    }

    /** Holds the line. */
    byte[] bytes() {
        return bytes;
    }

    /** Where the line begins in {@link #bytes}. */
    int from() {
        return from;
    }

    /** Bytes of the line, its newline among them. */
    int length() {
        return to - from;
    }

    /** Lines shown so far. */
    long count() {
        return count;
    }

    /** Bytes of the lines shown so far. */
    long position() {
        return position;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
