package io.firn.follow;

import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.format.BatchWalk;
import io.firn.recovery.UnsealedSegment;
import io.firn.spi.Block;
import io.firn.spi.BlockReader.BlockReusedException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds the whole batches above a mark in a segment of another process, by the rule of recovery:
 * the mark's epoch, the next offset, a sane length and a valid CRC ({@link UnsealedSegment}). They
 * are read through the file and not through a mapping, since a writer may cut the file meanwhile.
 * Not thread-safe.
 */
public final class BatchesAboveMark {
    private final BatchWalk walk = new BatchWalk(new BatchVerifier());
    private ByteBuffer scratch = ByteBuffer.allocate(64 * 1024);

    /** The place after a batch, and the offset there. */
    record End(int position, long offset) {}

    /** Returns the end of the batches that follow a place. */
    End after(Block block, int position, long offset) throws IOException {
        return after(block, position, offset, false);
    }

    /**
     * Returns the end of the batches that follow a place.
     *
     * @param isReplica whether their epochs are another log's, so that any counts (O27)
     */
    End after(Block block, int position, long offset, boolean isReplica) throws IOException {
        int epoch = isReplica ? BatchWalk.ANY_EPOCH : BatchFormat.epochBits(block.mark().epoch());
        End end = new End(position, offset);
        while (isNextWhole(block, end, epoch)) {
            end = new End(end.position + walk.size(), walk.nextOffset());
        }
        return end;
    }

    /** Steps over the next batch; of one whose header is wrong only the header is read. */
    private boolean isNextWhole(Block block, End end, int epoch) throws IOException {
        int room = block.capacity() - end.position;
        if (read(block, end.position, BatchFormat.HEADER_LENGTH) < BatchFormat.HEADER_LENGTH
                || !walk.start(scratch, 0, end.offset, room).nextHeader(epoch)) {
            return false;
        }
        int size = walk.size();
        return read(block, end.position, size) == size
                && walk.start(scratch, 0, end.offset, size).nextWhole(epoch);
    }

    /** Returns the offset that a block without a mark begins with; −1 when it is too short. */
    long baseOffset(Block block) throws IOException {
        return read(block, 0, Long.BYTES) < Long.BYTES ? -1 : scratch.getLong(0);
    }

    private int read(Block block, int position, int length) throws IOException {
        if (scratch.capacity() < length) {
            scratch = ByteBuffer.allocate(Math.max(length, scratch.capacity() * 2));
        }
        try {
            return block.read(position, scratch.array(), 0, length);
        } catch (BlockReusedException e) {
            return 0; // the next look at the tier finds that the segment is gone
        }
    }
}
