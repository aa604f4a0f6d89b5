package io.firn.read;

import io.firn.Compression;
import io.firn.MissingCodecException;
import io.firn.format.BatchFormat;
import io.firn.format.Codecs;
import io.firn.format.ReadBuffer;
import io.firn.format.ReadMemory;
import io.firn.format.ReadMemory.Grant;
import io.firn.format.RecordFlyweight;
import io.firn.format.RecordTimes;
import io.firn.log.SegmentedLog;
import io.firn.spi.BlockReader;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The records of one batch, one after another. They are shown where the batch is, where it was
 * copied, or in a buffer of this object if they had to be decompressed. The memory of that buffer
 * may be taken away between {@link #leave} and {@link #enter}. Not thread-safe.
 */
final class BatchRecords {
    private final int partition;
    private final ShownBatches shown;
    private final RecordFlyweight record = new RecordFlyweight();
    private final ReadMemory memory;

    /** Where batches are decompressed; without memory until there was one. */
    private final ReadBuffer buffer;

    private boolean isHeld;

    /** Whether the record shows the buffer: it is held before anything is done with either. */
    private boolean showsBuffer;

    /** Whether the batch was decompressed. */
    private boolean isInBuffer;

    /** Why it could not be decompressed, if it is not an error. */
    private boolean isInterrupted;

    /** What was taken to decompress it piece by piece. */
    private long takenForTimes;

    /** What the record shows at present. */
    private ByteBuffer wrapped;

    /** Whether that is the memory of the segment. */
    private boolean isMapped;

    private int size;
    private long nextOffset;
    private int at;
    private int end;

    /** Creates it for batches of a log, some of which are shown as if they were empty. */
    BatchRecords(SegmentedLog log, ShownBatches shown) {
        this.partition = log.index();
        this.memory = log.store().readMemory();
        this.buffer = new ReadBuffer(memory, this::forget);
        this.shown = shown;
    }

    /** Returns the record that {@link #show} has shown. */
    RecordFlyweight record() {
        return record;
    }

    /** Begins to read. */
    void enter() {
        if (showsBuffer && !isHeld) {
            hold();
            if (buffer.length() < 0) {
                forget();
                showsBuffer = false;
            }
        }
    }

    /** Ends to read, until the next call of {@link #enter}. */
    void leave() {
        if (isHeld) {
            isHeld = false;
            buffer.letGo();
        }
    }

    private void hold() {
        isHeld = true;
        buffer.hold();
    }

    /** Lets nothing refer to the buffer's memory; who else needs that memory calls it, too. */
    private void forget() {
        if (showsBuffer) {
            record.unwrap();
            wrapped = null;
        }
    }

    /** Ends for good; for any thread. */
    void end() {
        buffer.close();
    }

    /**
     * Verifies the batch at a cursor's place and makes its records ready, unless the thread is
     * interrupted while it waits for memory.
     *
     * @param view the pinned view of the cursor's segment
     * @throws io.firn.DamagedRangeException when it is damaged
     * @throws io.firn.BatchTooLargeException when it is too large to be decompressed
     * @throws io.firn.BusyException when there is no memory to decompress it
     */
    void open(BatchCursor cursor, View view) {
        open(cursor, view, false);
    }

    /**
     * Verifies the batch at a cursor's place as {@link #open} does, but if it is compressed, makes
     * only the times of its records ready.
     *
     * @return the times, which the caller closes, then calls {@link #closeTimes}; null if the batch
     *     is not compressed and its records are ready
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
        isInBuffer = false;
        isInterrupted = false;
        int attributes = bytes.getShort(start + BatchFormat.ATTRIBUTES);
        if (shown.leavesOut(bytes, start, attributes)) {
            at = end;
            cursor.markOpen();
            return null;
        }
        boolean isAppendTime = isAppendTime(attributes);
        int timeAt = isAppendTime ? BatchFormat.MAX_TIMESTAMP : BatchFormat.BASE_TIMESTAMP;
        long time = bytes.getLong(start + timeAt);
        Compression codec = Compression.ofId(attributes & BatchFormat.COMPRESSION_MASK);
        if (timesOnly && codec != Compression.NONE) {
            cursor.markOpen();
            return times(cursor, bytes, start, codec, time);
        }
        if (codec == Compression.NONE) {
            isMapped = inPlace;
            wrapInPlace(bytes, view);
            at = start + BatchFormat.HEADER_LENGTH;
            end = start + size;
        } else {
            isInterrupted = !decompress(cursor, bytes, start, codec);
            if (isInterrupted) {
                return null;
            }
        }
        record.batch(partition, cursor.base(), nextOffset, time, isAppendTime, end);
        cursor.markOpen();
        return null;
    }

    private static boolean isAppendTime(int attributes) {
        return (attributes & BatchFormat.APPEND_TIME_FLAG) != 0;
    }

    private RecordTimes times(
            BatchCursor cursor, ByteBuffer bytes, int start, Compression codec, long time) {
        int from = start + BatchFormat.HEADER_LENGTH;
        int length = size - BatchFormat.HEADER_LENGTH;
        boolean isAppendTime = isAppendTime(bytes.getShort(start + BatchFormat.ATTRIBUTES));
        try {
            if (codec == null) {
                throw new IOException("unknown compression");
            }
            takeForTimes(cursor, length + Codecs.streamMemory(codec, bytes, from, length), codec);
            byte[] source = new byte[length];
            bytes.get(from, source, 0, length);
            return RecordTimes.open(codec, source, cursor.base(), nextOffset, time, isAppendTime);
        } catch (MissingCodecException e) {
            throw cursor.withoutCodec(e);
        } catch (IOException e) {
            throw cursor.damaged(nextOffset, e.getMessage());
        }
    }

    private void takeForTimes(BatchCursor cursor, long needed, Compression codec) {
        if (needed <= ReadMemory.UNCOUNTED) {
            return;
        }
        // The window of ZSTD is memory of the system, which takes what is used of it.
        boolean isTooLarge = needed > memory.limit() && codec != Compression.ZSTD;
        Grant grant = isTooLarge ? Grant.TOO_LARGE : memory.takeUninterruptibly(needed);
        if (grant != Grant.GRANTED) {
            throw cursor.notDecompressed(nextOffset, grant, memory);
        }
        takenForTimes = needed;
    }

    /** Gives back what was taken for the times. */
    void closeTimes() {
        if (takenForTimes > 0) {
            memory.give(takenForTimes);
            takenForTimes = 0;
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

    /**
     * Continues with the batch that is open, whose segment may have been mapped anew.
     *
     * @return false when it has to be opened again, because its memory was taken away
     */
    boolean reopen(View view) {
        if (isMapped) {
            wrapInPlace(view.buffer(), view);
        }
        return !isInBuffer || showsBuffer;
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
        showsBuffer = false;
    }

    /** Decompresses the batch; false when the thread is interrupted while it waits for memory. */
    @SuppressWarnings("ReferenceEquality") // the same memory
    private boolean decompress(BatchCursor cursor, ByteBuffer bytes, int start, Compression codec) {
        if (!isHeld) {
            hold();
        }
        int length = size - BatchFormat.HEADER_LENGTH;
        Grant grant;
        try {
            if (codec == null) {
                throw new IOException("unknown compression");
            }
            grant = buffer.fill(codec, bytes, start + BatchFormat.HEADER_LENGTH, length);
        } catch (MissingCodecException e) {
            throw cursor.withoutCodec(e);
        } catch (IOException e) {
            throw cursor.damaged(nextOffset, e.getMessage());
        }
        if (grant == Grant.INTERRUPTED) {
            return false;
        }
        if (grant != Grant.GRANTED) {
            throw cursor.notDecompressed(nextOffset, grant, memory);
        }
        isMapped = false;
        if (wrapped != buffer.bytes()) {
            wrap(buffer.bytes(), null);
        }
        showsBuffer = true;
        isInBuffer = true;
        at = 0;
        end = buffer.length();
        return true;
    }

    /** Returns whether the thread was interrupted, so that the batch was not opened. */
    boolean isInterrupted() {
        return isInterrupted;
    }

    /** Returns whether the batch takes more memory than is kept from one to the next. */
    boolean isLarge() {
        return isInBuffer && showsBuffer && buffer.isLarge();
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
        if (isLarge()) {
            buffer.clear();
            showsBuffer = false;
        }
    }
}
