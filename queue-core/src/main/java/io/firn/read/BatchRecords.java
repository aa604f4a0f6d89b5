package io.firn.read;

import io.firn.Compression;
import io.firn.batch.BatchFormat;
import io.firn.batch.RecordFlyweight;
import io.firn.batch.RecordTimes;
import io.firn.compress.Codecs;
import io.firn.compress.Scratch;
import io.firn.spi.BlockReader;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The records of one batch, one after another. They are shown where the batch is, or in a buffer of
 * this object if they had to be decompressed or copied. Not thread-safe.
 */
final class BatchRecords {
    private final int partition;
    private final ShownBatches shown;
    private final RecordFlyweight record = new RecordFlyweight();
    private Scratch compressed;
    private Scratch decompressed;

    /** What the record shows at present. */
    private ByteBuffer wrapped;

    /** Whether that is the memory of the segment. */
    private boolean isMapped;

    private int size;
    private long nextOffset;
    private int at;
    private int end;

    /** Creates it for batches of a partition, some of which are shown as if they were empty. */
    BatchRecords(int partition, ShownBatches shown) {
        this.partition = partition;
        this.shown = shown;
    }

    /** Returns the record that {@link #show} has shown. */
    RecordFlyweight record() {
        return record;
    }

    /**
     * Verifies the batch at a cursor's place and makes its records ready.
     *
     * @param view the pinned view of the cursor's segment
     * @throws io.firn.DamagedRangeException when it is damaged
     */
    void open(BatchCursor cursor, View view) {
        open(cursor, view, false);
    }

    /**
     * Verifies the batch at a cursor's place as {@link #open} does, but if it is compressed, makes
     * only the times of its records ready.
     *
     * @return the times, which the caller closes; null if the batch is not compressed and its
     *     records are ready
     * @throws io.firn.DamagedRangeException when it is damaged
     */
    RecordTimes openTimes(BatchCursor cursor, View view) {
        return open(cursor, view, true);
    }

    private RecordTimes open(BatchCursor cursor, View view, boolean timesOnly) {
        ByteBuffer bytes = verified(cursor, view);
        boolean inPlace = cursor.reader().isInPlace();
        int start = inPlace ? cursor.position() : 0;
        nextOffset = BatchFormat.nextOffset(bytes, start);
        int attributes = bytes.getShort(start + BatchFormat.ATTRIBUTES);
        if (shown.leavesOut(bytes, start, attributes)) {
            at = end;
            cursor.markOpen();
            return null;
        }
        boolean isAppendTime = (attributes & BatchFormat.APPEND_TIME_FLAG) != 0;
        int timeAt = isAppendTime ? BatchFormat.MAX_TIMESTAMP : BatchFormat.BASE_TIMESTAMP;
        long time = bytes.getLong(start + timeAt);
        Compression codec = Compression.ofId(attributes & BatchFormat.COMPRESSION_MASK);
        if (timesOnly && codec != Compression.NONE) {
            cursor.markOpen();
            return times(cursor, bytes, start, codec, time, isAppendTime);
        }
        if (codec == Compression.NONE) {
            isMapped = inPlace;
            wrapInPlace(bytes, view);
            at = start + BatchFormat.HEADER_LENGTH;
            end = start + size;
        } else {
            decompress(cursor, bytes, start, codec);
            isMapped = false;
            wrap(ByteBuffer.wrap(decompressed.bytes()), null);
            at = 0;
            end = decompressed.length();
        }
        record.batch(partition, cursor.base(), nextOffset, time, isAppendTime, end);
        cursor.markOpen();
        return null;
    }

    private RecordTimes times(
            BatchCursor cursor,
            ByteBuffer bytes,
            int start,
            Compression codec,
            long time,
            boolean isAppendTime) {
        byte[] source = new byte[size - BatchFormat.HEADER_LENGTH];
        bytes.get(start + BatchFormat.HEADER_LENGTH, source, 0, source.length);
        try {
            if (codec == null) {
                throw new IOException("unknown compression");
            }
            return RecordTimes.open(codec, source, cursor.base(), nextOffset, time, isAppendTime);
        } catch (IOException e) {
            throw cursor.damaged(nextOffset, e.getMessage());
        }
    }

    /** Verifies the batch at the place, and returns the buffer that it is in or was copied to. */
    private ByteBuffer verified(BatchCursor cursor, View view) {
        ByteBuffer memory = view.buffer();
        BlockReader reader = cursor.reader();
        size = cursor.checkHeader(memory);
        ByteBuffer bytes = size < 0 ? memory : reader.bytes(view, cursor.position(), size);
        if (size > 0) {
            size =
                    reader.isInPlace()
                            ? cursor.verify(memory, size)
                            : cursor.verifyCopy(bytes, size);
        }
        if (size < 0) {
            throw cursor.damagedHere(memory, cursor.reason());
        }
        return bytes;
    }

    /** Continues with the batch that is open, whose segment may have been mapped anew. */
    void reopen(View view) {
        if (isMapped) {
            wrapInPlace(view.buffer(), view);
        }
    }

    /** Prepares to show records where they are, without the batches being opened. */
    void wrapInPlace(View view) {
        isMapped = true;
        wrapInPlace(view.buffer(), view);
    }

    @SuppressWarnings("ReferenceEquality") // the same bytes mapped elsewhere are another place
    private void wrapInPlace(ByteBuffer bytes, View view) {
        if (wrapped != bytes) {
            wrap(bytes, isMapped ? view::handOut : null);
        }
    }

    private void wrap(ByteBuffer bytes, Runnable onHandOut) {
        record.wrap(bytes, onHandOut);
        wrapped = bytes;
    }

    private void decompress(BatchCursor cursor, ByteBuffer bytes, int start, Compression codec) {
        if (compressed == null) {
            compressed = new Scratch(size);
            decompressed = new Scratch((int) Math.min(4L * size, BatchFormat.MOST_IN_MEMORY));
        }
        int length = size - BatchFormat.HEADER_LENGTH;
        bytes.get(start + BatchFormat.HEADER_LENGTH, compressed.ensure(length), 0, length);
        try {
            if (codec == null) {
                throw new IOException("unknown compression");
            }
            byte[] source = compressed.bytes();
            Codecs.decompress(codec, source, 0, length, decompressed, BatchFormat.MOST_IN_MEMORY);
        } catch (IOException e) {
            throw cursor.damaged(nextOffset, e.getMessage());
        }
    }

    /** Returns the offset after the batch. */
    long nextOffset() {
        return nextOffset;
    }

    /** Returns whether more bytes follow. */
    boolean hasNext() {
        return at < end;
    }

    /**
     * Shows the next record.
     *
     * @return what {@link #moveTo} continues with after it; −1 when no well-formed record of the
     *     batch follows
     */
    int show() {
        return record.show(at);
    }

    /** Moves past the record that was shown. */
    void moveTo(int next) {
        at = next;
    }

    /** Moves past all records. */
    void moveToEnd() {
        at = end;
    }

    /** Moves the cursor past the batch. */
    void close(BatchCursor cursor) {
        cursor.advanceTo(cursor.position() + size, nextOffset);
    }
}
