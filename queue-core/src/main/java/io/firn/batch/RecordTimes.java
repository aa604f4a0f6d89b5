package io.firn.batch;

import io.firn.Compression;
import io.firn.compress.Codecs;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * The offsets and timestamps of the records of a compressed batch, which is decompressed piece by
 * piece: a few KB may contain 100 MB. For one thread; the caller closes it.
 */
public final class RecordTimes implements AutoCloseable {
    private static final int PIECE = 8192;

    private final InputStream in;
    private final long baseOffset;
    private final long nextOffset;
    private final long time;
    private final boolean isAppendTime;
    private long read;
    private long offset;
    private long timestamp;

    private RecordTimes(
            InputStream in, long baseOffset, long nextOffset, long time, boolean isAppendTime) {
        this.in = in;
        this.baseOffset = baseOffset;
        this.nextOffset = nextOffset;
        this.time = time;
        this.isAppendTime = isAppendTime;
    }

    /**
     * Opens a batch before its first record.
     *
     * @param compressed its bytes after the header
     * @param nextOffset the offset after its last
     * @param time its base timestamp, or with append time its largest
     * @throws IOException when the bytes are not what the codec wrote
     * @throws io.firn.MissingCodecException when the codec's library is not on the class path
     */
    public static RecordTimes open(
            Compression codec,
            byte[] compressed,
            long baseOffset,
            long nextOffset,
            long time,
            boolean isAppendTime)
            throws IOException {
        try {
            InputStream in = Codecs.open(codec, compressed, BatchFormat.MAX_DECOMPRESSED);
            return new RecordTimes(
                    new BufferedInputStream(in, PIECE), baseOffset, nextOffset, time, isAppendTime);
        } catch (RuntimeException e) {
            throw asDamage(codec, e);
        }
    }

    /**
     * Moves to the next record.
     *
     * @return false when no well-formed record of the batch follows
     * @throws IOException when the bytes are not what the codec wrote, or more than {@link
     *     BatchFormat#MAX_DECOMPRESSED}
     */
    public boolean next() throws IOException {
        try {
            return tryNext();
        } catch (EOFException e) {
            return false;
        } catch (RuntimeException e) { // lz4-java throws bare ones
            throw new IOException("stream is damaged: " + e, e);
        }
    }

    private static IOException asDamage(Compression codec, RuntimeException e) {
        if (e instanceof io.firn.FirnException) {
            throw e;
        }
        return new IOException(codec + " stream is damaged: " + e, e);
    }

    private boolean tryNext() throws IOException {
        long length = nextNumber();
        if (length < 0) {
            return false;
        }
        long end = read + length;
        if (end > BatchFormat.MAX_DECOMPRESSED) {
            throw new IOException(
                    "batch decompresses to more than " + BatchFormat.MAX_DECOMPRESSED + " bytes");
        }
        nextByte(); // attributes
        long timestampDelta = nextNumber();
        timestamp = isAppendTime ? time : time + timestampDelta;
        offset = baseOffset + nextNumber();
        if (offset < baseOffset || offset >= nextOffset || read > end) {
            return false;
        }
        in.skipNBytes(end - read);
        read = end;
        return true;
    }

    /** Returns the offset of the record. */
    public long offset() {
        return offset;
    }

    /** Returns the timestamp of the record, in ms. */
    public long timestamp() {
        return timestamp;
    }

    private long nextNumber() throws IOException {
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

    @Override
    public void close() throws IOException {
        in.close();
    }
}
