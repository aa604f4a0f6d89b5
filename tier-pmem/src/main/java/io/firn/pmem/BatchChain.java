package io.firn.pmem;

import io.firn.format.BatchVerifier;
import io.firn.format.BatchWalk;
import java.nio.ByteBuffer;

/**
 * The batches at the beginning of a block whose mark is lost: each whole by its CRC, following the
 * one before it, and of the same or a later epoch. What an earlier use of the block left after them
 * has an earlier epoch and does not count.
 *
 * @param bytes the bytes of all batches
 * @param from the first offset
 * @param to the offset after the last; equal to {@code from} when there is no batch
 * @param epochBits the low 31 bits of the last batch's epoch
 */
record BatchChain(int bytes, long from, long to, int epochBits) {

    static BatchChain in(byte[] block) {
        ByteBuffer memory = ByteBuffer.wrap(block);
        long from = block.length < Long.BYTES ? -1 : memory.getLong(0);
        BatchChain found = new BatchChain(0, 0, 0, 0);
        if (from < 0) {
            return found;
        }
        BatchWalk walk = new BatchWalk(new BatchVerifier()).start(memory, 0, from, block.length);
        while (walk.nextWhole() && (found.isEmpty() || walk.epochBits() >= found.epochBits)) {
            found = new BatchChain(walk.nextPosition(), from, walk.nextOffset(), walk.epochBits());
        }
        return found;
    }

    boolean isEmpty() {
        return bytes == 0;
    }
}
