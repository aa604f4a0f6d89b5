package io.firn.format;

import io.firn.Compression;
import io.firn.FirnException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * The records of a batch, read and decompressed piece by piece: a few KB may contain 100 MB. For
 * one thread; the caller closes it.
 */
final class RecordStream implements AutoCloseable {
    private static final int PIECE = 8192;
    private static final int MAX_INT_BYTES = 5;
    private static final int MAX_NUMBER_BYTES = 10;

    private final InputStream in;
    private final Compression codec;
    private final byte[] piece = new byte[PIECE];
    private final byte[] number = new byte[MAX_NUMBER_BYTES];
    private int numberBytes;

    // What of the piece is still to be returned.
    private int at;
    private int limit;

    /** The bytes that were read before the piece. */
    private long before;

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
            return new RecordStream(in, codec);
        } catch (RuntimeException e) {
            throw asDamage(codec, e);
        }
    }

    /**
     * Opens a batch before its first record, with a decompressor that takes {@link
     * Codecs#MOST_HELD} at most.
     *
     * @param source its bytes after the header, from the position to the limit
     * @throws IOException when the bytes are not what the codec wrote, or decompressing them takes
     *     more memory
     * @throws io.firn.MissingCodecException when the codec's library is not there, or does not load
     */
    static RecordStream openSmall(Compression codec, ByteBuffer source) throws IOException {
        try {
            InputStream in = Codecs.openSmall(codec, source, BatchFormat.MAX_DECOMPRESSED);
            return new RecordStream(in, codec);
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
        return before + at;
    }

    /** Reads a number of variable length, as Kafka's records have them. */
    long nextNumber() throws IOException {
        long value = 0;
        int shift = 0;
        int b;
        numberBytes = 0;
        do {
            b = nextByte();
            number[numberBytes++] = (byte) b;
            value |= (long) (b & 0x7F) << shift;
            shift += 7;
        } while (b >= 0x80 && shift < 70);
        return (value >>> 1) ^ -(value & 1);
    }

    /**
     * Reads a number as Kafka does: one that goes on after 10 bytes is none.
     *
     * @throws MalformedRecordException when it is none
     */
    long nextLong() throws IOException {
        long value = nextNumber();
        if (number[numberBytes - 1] < 0) {
            throw new MalformedRecordException("a number without an end");
        }
        return value;
    }

    /**
     * Reads an int as Kafka does: an encoding of more bytes than an int needs is none.
     *
     * @throws MalformedRecordException when it is none
     */
    int nextInt() throws IOException {
        long value = nextLong();
        if (numberBytes > MAX_INT_BYTES || value != (int) value) {
            throw new MalformedRecordException("a number of more than 32 bits");
        }
        return (int) value;
    }

    /** Writes the bytes of the number that was read last, as they are. */
    void writeNumber(OutputStream target) throws IOException {
        target.write(number, 0, numberBytes);
    }

    /** Returns of how many bytes the number is that was read last. */
    int numberBytes() {
        return numberBytes;
    }

    /**
     * Reads a byte.
     *
     * @throws EOFException when there is none
     */
    int nextByte() throws IOException {
        if (at == limit && !fill()) {
            throw new EOFException();
        }
        return piece[at++] & 0xFF;
    }

    /** Whether all bytes were read. */
    boolean isAtEnd() throws IOException {
        return at == limit && !fill();
    }

    /** Skips bytes up to a position that is not below the present one. */
    void skipTo(long position) throws IOException {
        for (long left = position - position(); left > 0; ) {
            left -= next(left);
        }
    }

    /** Passes bytes to a hash. */
    void hash(int length, KeyHash target) throws IOException {
        for (int left = length; left > 0; ) {
            int n = next(left);
            target.update(piece, at - n, n);
            left -= n;
        }
    }

    /** Writes bytes to another stream. */
    void copy(int length, OutputStream target) throws IOException {
        for (int left = length; left > 0; ) {
            int n = next(left);
            target.write(piece, at - n, n);
            left -= n;
        }
    }

    /** Steps over some bytes, which are then in the piece before {@link #at}. */
    private int next(long most) throws IOException {
        if (at == limit && !fill()) {
            throw new EOFException();
        }
        int n = (int) Math.min(most, limit - at);
        at += n;
        return n;
    }

    private boolean fill() throws IOException {
        int n;
        try {
            n = in.read(piece, 0, PIECE);
        } catch (RuntimeException e) {
            throw asDamage(codec, e);
        } catch (IOException e) {
            throw Codecs.explained(codec, e);
        }
        if (n <= 0) {
            return false;
        }
        before += limit;
        at = 0;
        limit = n;
        return true;
    }

    @Override
    public void close() throws IOException {
        try {
            in.close();
        } catch (RuntimeException e) {
            throw asDamage(codec, e);
        }
    }

    /** Decompressed bytes are not a record. */
    static final class MalformedRecordException extends IOException {
        private static final long serialVersionUID = 1;

        MalformedRecordException(String message) {
            super(message);
        }
    }
}
