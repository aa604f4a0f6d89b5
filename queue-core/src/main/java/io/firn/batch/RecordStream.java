package io.firn.batch;

import io.firn.Compression;
import io.firn.FirnException;
import io.firn.compress.Codecs;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * The records of a compressed batch, decompressed piece by piece: a few KB may contain 100 MB. For
 * one thread; the caller closes it.
 */
final class RecordStream implements AutoCloseable {
    private static final int PIECE = 8192;

    private final InputStream in;
    private final Compression codec;
    private long read;

    private RecordStream(InputStream in, Compression codec) {
        this.in = in;
        this.codec = codec;
    }

    /**
     * Opens a batch before its first record.
     *
     * @param compressed its bytes after the header
     * @throws IOException when the bytes are not what the codec wrote
     * @throws io.firn.MissingCodecException when the codec's library is not there, or does not load
     */
    static RecordStream open(Compression codec, byte[] compressed) throws IOException {
        try {
            InputStream in = Codecs.open(codec, compressed, BatchFormat.MAX_DECOMPRESSED);
            return new RecordStream(new BufferedInputStream(in, PIECE), codec);
        } catch (RuntimeException e) {
            throw asDamage(codec, e);
        }
    }

    /** What a codec throws on bytes that it did not write: lz4-java throws bare exceptions. */
    private static IOException asDamage(Compression codec, RuntimeException e) {
        if (e instanceof FirnException) {
            throw e;
        }
        return new IOException(codec + " stream is damaged: " + e, e);
    }

    /** Returns the number of bytes that were read. */
    long position() {
        return read;
    }

    /** Reads a number of variable length, as Kafka's records have them. */
    long nextNumber() throws IOException {
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

    /**
     * Reads a byte.
     *
     * @throws EOFException when there is none
     */
    int nextByte() throws IOException {
        int b = readByte();
        if (b < 0) {
            throw new EOFException();
        }
        read++;
        return b;
    }

    /** Whether all bytes were read. */
    boolean isAtEnd() throws IOException {
        return readByte() < 0;
    }

    private int readByte() throws IOException {
        try {
            return in.read();
        } catch (RuntimeException e) {
            throw asDamage(codec, e);
        }
    }

    /** Skips bytes up to a position that is not below the present one. */
    void skipTo(long position) throws IOException {
        try {
            in.skipNBytes(position - read);
        } catch (RuntimeException e) {
            throw asDamage(codec, e);
        }
        read = position;
    }

    @Override
    public void close() throws IOException {
        try {
            in.close();
        } catch (RuntimeException e) {
            throw asDamage(codec, e);
        }
    }
}
