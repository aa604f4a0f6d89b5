package io.firn.append;

import io.firn.batch.BatchFormat;
import io.firn.batch.Source;
import io.firn.batch.ValueEncoder;
import io.firn.log.LogSegment;
import io.firn.log.WriteBuffers;
import io.firn.medium.Mapping;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes batches with calls on a segment's block, for the thread that has the turn. A batch is put
 * together in a buffer: what the log changes in it, and the zeros after it, belong to the same
 * call. A large batch is written in pieces.
 */
final class CalledWrites {
    private final WriteBuffers buffers;
    private final CRC32C crc = new CRC32C();

    CalledWrites(WriteBuffers buffers) {
        this.buffers = buffers;
    }

    /** Writes a value whose encoding has begun. */
    void write(
            LogSegment segment,
            int size,
            ValueEncoder encoder,
            long offset,
            long time,
            Source value)
            throws IOException {
        ByteBuffer buffer = buffers.take(size + LogSegment.TAIL_ZEROS);
        try {
            encoder.store(buffer, 0, offset, segment.epochBits, time, value);
            write(segment, 0, buffer, size, true);
        } finally {
            buffers.give(buffer);
        }
    }

    /**
     * Writes a whole batch.
     *
     * @param hasCrc whether its CRC is right; otherwise it is computed here
     */
    void write(LogSegment segment, Source batch, long offset, boolean hasCrc) throws IOException {
        int size = batch.length();
        ByteBuffer buffer = buffers.take(WriteBuffers.PIECE + LogSegment.TAIL_ZEROS);
        try {
            for (int from = 0; from < size; from += WriteBuffers.PIECE) {
                int length = Math.min(WriteBuffers.PIECE, size - from);
                batch.copyTo(buffer, 0, from, length);
                if (from == 0) {
                    complete(buffer, segment, batch, offset, hasCrc);
                }
                write(segment, from, buffer, length, from + length == size);
            }
        } finally {
            buffers.give(buffer);
        }
    }

    /**
     * Removes the header of a batch for which there was not enough space, page by page: a page that
     * has other bytes than zeros has space.
     */
    void takeBack(LogSegment segment) throws IOException {
        int at = segment.written();
        int end = Math.min(segment.capacity, at + BatchFormat.HEADER_LENGTH);
        for (int from = at, to; from < end; from = to) {
            to = Math.min(end, (from / Mapping.PAGE + 1) * Mapping.PAGE);
            if (!isZero(segment, from, to)) {
                segment.block.write(from, ByteBuffer.allocate(to - from));
            }
        }
    }

    /** Without the mapping: on tmpfs, reading a hole through it takes space. */
    private static boolean isZero(LogSegment segment, int from, int to) throws IOException {
        byte[] bytes = new byte[to - from];
        segment.block.read(from, bytes, 0, bytes.length);
        return Arrays.equals(bytes, new byte[bytes.length]);
    }

    private void complete(
            ByteBuffer head, LogSegment segment, Source batch, long offset, boolean hasCrc) {
        head.putLong(BatchFormat.BASE_OFFSET, offset);
        head.putInt(BatchFormat.EPOCH, segment.epochBits);
        if (!hasCrc) {
            crc.reset();
            batch.updateCrc(crc, BatchFormat.ATTRIBUTES);
            head.putInt(BatchFormat.CRC, (int) crc.getValue());
        }
    }

    /** Writes a piece; the last one with the zeros after the batch, where there is room. */
    private static void write(
            LogSegment segment, int from, ByteBuffer buffer, int length, boolean isLast)
            throws IOException {
        int at = segment.written() + from;
        int end = length;
        if (isLast && segment.capacity - at - length >= LogSegment.TAIL_ZEROS) {
            buffer.putLong(end, 0);
            buffer.putInt(end + Long.BYTES, 0);
            end += LogSegment.TAIL_ZEROS;
        }
        segment.block.write(at, buffer.limit(end).position(0));
    }
}
