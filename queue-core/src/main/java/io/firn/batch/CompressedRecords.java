package io.firn.batch;

import io.firn.Compression;
import io.firn.compress.Codecs;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * Counts the records of a compressed batch by decompressing it piece by piece, without holding more
 * than a piece.
 */
final class CompressedRecords {
    /** Length, attributes, two deltas, two lengths and a header count, of a byte each. */
    static final int LEAST_RECORD_BYTES = 7;

    private static final int PIECE = 8192;

    private final InputStream in;
    private long read;

    private CompressedRecords(InputStream in) {
        this.in = in;
    }

    /**
     * Checks that a number of records follow one another, and nothing else.
     *
     * @throws IOException when that is not so, or there are more than {@link
     *     BatchFormat#MAX_DECOMPRESSED} bytes; the message says what was found
     * @throws io.firn.MissingCodecException when the codec's library is not on the class path
     */
    static void check(Compression codec, byte[] compressed, int count) throws IOException {
        try (InputStream in = Codecs.open(codec, compressed, BatchFormat.MAX_DECOMPRESSED)) {
            new CompressedRecords(new BufferedInputStream(in, PIECE)).check(count);
        } catch (RuntimeException e) { // lz4-java throws bare ones
            if (e instanceof io.firn.FirnException) {
                throw e;
            }
            throw new IOException(codec + " stream is damaged: " + e, e);
        }
    }

    private void check(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            if (!skipRecord(i)) {
                throw new IOException("it holds " + i + " well-formed records");
            }
        }
        if (in.read() >= 0) {
            throw new IOException("more than these follow");
        }
    }

    private boolean skipRecord(int index) throws IOException {
        try {
            long length = next();
            if (length < LEAST_RECORD_BYTES - 1 || length > BatchFormat.MAX_DECOMPRESSED) {
                return false;
            }
            long end = read + length;
            nextByte(); // attributes
            next(); // timestamp
            if (next() != index || read > end) {
                return false;
            }
            long left = end - read;
            read = end;
            if (read > BatchFormat.MAX_DECOMPRESSED) {
                return false;
            }
            in.skipNBytes(left);
            return true;
        } catch (EOFException e) {
            return false;
        }
    }

    private long next() throws IOException {
        long value = 0;
        int shift = 0;
        int b;
        do {
            b = nextByte();
            value |= (long) (b & 0x7F) << shift;
            shift += 7;
        } while (b >= 0x80 && shift < 70);
        return (value >>> 1) ^ -(value & 1);
    }

    private int nextByte() throws IOException {
        int b = in.read();
        if (b < 0) {
            throw new EOFException();
        }
        read++;
        return b;
    }
}
