package io.firn.append;

import io.firn.StoreFullException;
import io.firn.append.Admission.Origin;
import io.firn.format.BatchFormat;
import io.firn.format.RecordEncoder;
import io.firn.format.Source;
import io.firn.log.LogContext.WriteBuffers;
import io.firn.log.LogSegment;
import io.firn.medium.DirectMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes batches with calls on a segment's block, for the thread that has the turn. A batch is put
 * together in a buffer: what the log changes in it, and the zeros after it, belong to the same
 * call. A large batch is written in pieces.
 *
 * <p>Linux keeps a file in memory in folios as large as the write that first touches them, if it is
 * aligned, and a large one costs it much less than many pages. So pieces end at multiples of their
 * size, and while much is written between two forces, the rest of a piece that a batch only begins
 * is written as zeros first. Otherwise that is not worth it: a force would write the zeros too.
 */
final class CalledWrites {
    private static final int PIECE = WriteBuffers.PIECE;

    /** A force of less would write the zeros of the last piece to no purpose. */
    private static final int MUCH = 8 * PIECE;

    /** A file system allocates space in units of at most this size. */
    private static final int BLOCK = 4096;

    private static final DirectMemory.Zeros ZEROS = new DirectMemory.Zeros(PIECE);

    private final WriteBuffers buffers;
    private final CRC32C crc = new CRC32C();

    /** Null before they are needed. */
    private ByteBuffer zeros;

    private LogSegment last;
    private int seenForced;

    /** How much the last force covered, as far as it was seen here. */
    private int forcedAtOnce;

    CalledWrites(WriteBuffers buffers) {
        this.buffers = buffers;
    }

    /** Writes a record whose encoding has begun. */
    void write(
            LogSegment segment,
            int size,
            RecordEncoder encoder,
            long offset,
            long time,
            Source value)
            throws IOException {
        ByteBuffer buffer = buffers.take(size + LogSegment.TAIL_ZEROS);
        try {
            encoder.store(buffer, 0, offset, segment.epochBits(), time, value);
            writeZeros(segment, size);
            write(segment, 0, buffer, size, true);
        } finally {
            buffers.give(buffer);
        }
    }

    /** Writes a whole batch. */
    void write(LogSegment segment, Source batch, long offset, int epochBits, Origin origin)
            throws IOException {
        int size = batch.length();
        int at = segment.written();
        ByteBuffer buffer = buffers.take(BatchFormat.HEADER_LENGTH + PIECE + LogSegment.TAIL_ZEROS);
        try {
            writeZeros(segment, size);
            for (int from = 0, length; from < size; from += length) {
                length = Math.min(leftInPiece(at + from), size - from);
                if (from == 0 && length < BatchFormat.HEADER_LENGTH) {
                    length = Math.min(length + PIECE, size); // the header is completed as a whole
                }
                batch.copyTo(buffer, 0, from, length);
                if (from == 0) {
                    complete(buffer, epochBits, batch, offset, origin);
                }
                write(segment, from, buffer, length, from + length == size);
            }
        } finally {
            buffers.give(buffer);
        }
    }

    /**
     * Removes the header of a batch for which there was not enough space, block by block: one that
     * has other bytes than zeros has space.
     */
    void takeBack(LogSegment segment) throws IOException {
        int at = segment.written();
        int end = Math.min(segment.capacity(), at + BatchFormat.HEADER_LENGTH);
        for (int from = at, to; from < end; from = to) {
            to = Math.min(end, (from / BLOCK + 1) * BLOCK);
            if (!isZero(segment, from, to)) {
                segment.block().write(from, ByteBuffer.allocate(to - from));
            }
        }
    }

    /** Without the mapping: on tmpfs, reading a hole through it takes space. */
    private static boolean isZero(LogSegment segment, int from, int to) throws IOException {
        byte[] bytes = new byte[to - from];
        segment.block().read(from, bytes, 0, bytes.length);
        return Arrays.equals(bytes, new byte[bytes.length]);
    }

    private void complete(
            ByteBuffer head, int epochBits, Source batch, long offset, Origin origin) {
        head.putLong(BatchFormat.BASE_OFFSET, offset);
        head.putInt(BatchFormat.EPOCH, epochBits);
        if (!origin.hasCrc()) {
            crc.reset();
            batch.updateCrc(crc, BatchFormat.ATTRIBUTES);
            head.putInt(BatchFormat.CRC, (int) crc.getValue());
        }
    }

    private static int leftInPiece(int position) {
        return PIECE - position % PIECE;
    }

    /**
     * Before a batch that ends in a piece of the file that nothing was written to: writes zeros to
     * all of that piece. They are above every batch, in the turn of the writer (O18).
     */
    private void writeZeros(LogSegment segment, int size) throws IOException {
        int at = segment.written();
        int end = Math.min(at + size + LogSegment.TAIL_ZEROS, segment.capacity());
        int piece = (end - 1) / PIECE * PIECE;
        if (piece < at || !isMuchForcedAtOnce(segment, piece)) {
            return;
        }
        try {
            if (zeros == null) {
                zeros = ZEROS.get();
            }
            int length = Math.min(PIECE, segment.capacity() - piece);
            segment.block().write(piece, zeros.limit(length).position(0));
        } catch (StoreFullException e) {
            forcedAtOnce = 0; // the batch itself may have space
        }
    }

    @SuppressWarnings("ReferenceEquality") // this very segment
    private boolean isMuchForcedAtOnce(LogSegment segment, int position) {
        int forced = LogSegment.positionOf(segment.forcedEnd());
        if (segment != last) {
            last = segment;
            seenForced = forced; // what recovery found is not one force
        }
        if (forced > seenForced) {
            forcedAtOnce = forced - seenForced;
            seenForced = forced;
        }
        return Math.max(forcedAtOnce, position - forced) >= MUCH;
    }

    /** Writes a piece; the last one with the zeros after the batch, where there is room. */
    private static void write(
            LogSegment segment, int from, ByteBuffer buffer, int length, boolean isLast)
            throws IOException {
        int at = segment.written() + from;
        int end = length;
        if (isLast && segment.capacity() - at - length >= LogSegment.TAIL_ZEROS) {
            buffer.putLong(end, 0);
            buffer.putInt(end + Long.BYTES, 0);
            end += LogSegment.TAIL_ZEROS;
        }
        for (int done = 0, next; done < end; done = next) {
            next = Math.min(end, done + leftInPiece(at + done));
            segment.block().write(at + done, buffer.limit(next).position(done));
        }
        buffer.clear();
    }
}
