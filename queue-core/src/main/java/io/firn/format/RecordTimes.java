package io.firn.format;

import io.firn.Compression;
import java.io.EOFException;
import java.io.IOException;

/**
 * The offsets and timestamps of the records of a compressed batch, which is decompressed piece by
 * piece. For one thread; the caller closes it.
 */
public final class RecordTimes implements AutoCloseable {
    private final RecordStream in;
    private final long baseOffset;
    private final long nextOffset;
    private final long time;
    private final boolean isAppendTime;
    private long offset;
    private long timestamp;

    private RecordTimes(
            RecordStream in, long baseOffset, long nextOffset, long time, boolean isAppendTime) {
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
     * @throws io.firn.MissingCodecException when the codec's library is not there, or does not load
     */
    public static RecordTimes open(
            Compression codec,
            byte[] compressed,
            long baseOffset,
            long nextOffset,
            long time,
            boolean isAppendTime)
            throws IOException {
        RecordStream in = RecordStream.open(codec, compressed);
        return new RecordTimes(in, baseOffset, nextOffset, time, isAppendTime);
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
        }
    }

    private boolean tryNext() throws IOException {
        long length = in.nextNumber();
        if (length < 0) {
            return false;
        }
        long end = in.position() + length;
        if (end > BatchFormat.MAX_DECOMPRESSED) {
            throw new IOException(
                    "batch decompresses to more than " + BatchFormat.MAX_DECOMPRESSED + " bytes");
        }
        in.nextByte(); // attributes
        long timestampDelta = in.nextNumber();
        timestamp = isAppendTime ? time : time + timestampDelta;
        offset = baseOffset + in.nextNumber();
        if (offset < baseOffset || offset >= nextOffset || in.position() > end) {
            return false;
        }
        in.skipTo(end);
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

    @Override
    public void close() throws IOException {
        in.close();
    }
}
