package io.firn.store;

import io.firn.batch.BatchFormat;
import io.firn.batch.BatchVerifier;
import io.firn.spi.Block;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds the whole batches above a mark in a segment of another process, by the rule of recovery:
 * the mark's epoch, the next offset, a sane length and a valid CRC ({@link UnsealedSegment}). They
 * are read through the file and not through a mapping, since a writer may cut the file meanwhile.
 * Not thread-safe.
 */
final class BatchesAboveMark {
    private final BatchVerifier verifier = new BatchVerifier();
    private ByteBuffer scratch = ByteBuffer.allocate(64 * 1024);

    /** The place after a batch, and the offset there. */
    record End(int position, long offset) {}

    /** The end of the batches that follow a place. */
    End after(Block block, int position, long offset) throws IOException {
        int epoch = BatchFormat.epochBits(block.mark().epoch());
        int at = position;
        long next = offset;
        while (read(block, at, BatchFormat.HEADER_LENGTH) == BatchFormat.HEADER_LENGTH
                && scratch.getInt(BatchFormat.EPOCH) == epoch) {
            int size = BatchFormat.size(scratch, 0);
            if (size < BatchFormat.HEADER_LENGTH
                    || size > block.capacity() - at
                    || read(block, at, size) < size
                    || verifier.check(scratch, 0, size, next) < 0
                    || !block.isStillThere()) {
                break;
            }
            next = BatchFormat.nextOffset(scratch, 0);
            at += size;
        }
        return new End(at, next);
    }

    /** The offset that a block without a mark begins with, if it holds a batch at all. */
    long baseOffset(Block block) throws IOException {
        return read(block, 0, Long.BYTES) < Long.BYTES ? -1 : scratch.getLong(0);
    }

    private int read(Block block, int position, int length) throws IOException {
        if (scratch.capacity() < length) {
            scratch = ByteBuffer.allocate(Math.max(length, scratch.capacity() * 2));
        }
        return block.read(position, scratch.array(), 0, length);
    }
}
