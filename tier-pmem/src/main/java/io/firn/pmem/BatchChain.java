package io.firn.pmem;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The batches at the beginning of a block, found without a mark: each has a valid CRC, the next
 * offset, and the same or a later epoch than the one before. Stale batches of an earlier use of the
 * block have an earlier epoch and do not belong to them.
 *
 * @param bytes the bytes of all batches
 * @param from the first offset
 * @param to the offset after the last; equal to {@code from} when there is no batch
 * @param epochBits the low 31 bits of the last batch's epoch
 */
record BatchChain(int bytes, long from, long to, int epochBits) {
    private static final int LENGTH = 8;
    private static final int LENGTH_OVERHEAD = 12;
    private static final int EPOCH = 12;
    private static final int MAGIC = 16;
    private static final int CRC = 17;
    private static final int CRC_FROM = 21;
    private static final int LAST_OFFSET_DELTA = 23;
    private static final int HEADER = 61;

    static BatchChain in(byte[] block) {
        ByteBuffer memory = ByteBuffer.wrap(block);
        int position = 0;
        long from = 0;
        long to = 0;
        int epoch = 0;
        while (position + HEADER <= block.length) {
            long base = memory.getLong(position);
            int thisEpoch = memory.getInt(position + EPOCH);
            boolean follows = position == 0 ? base >= 0 : base == to && thisEpoch >= epoch;
            int size = follows ? sizeOf(memory, position) : -1;
            if (size < 0) {
                break;
            }
            from = position == 0 ? base : from;
            to = base + memory.getInt(position + LAST_OFFSET_DELTA) + 1;
            epoch = thisEpoch;
            position += size;
        }
        return new BatchChain(position, from, to, epoch);
    }

    boolean isEmpty() {
        return bytes == 0;
    }

    /** Returns a batch's size; −1 when it is not valid. */
    private static int sizeOf(ByteBuffer memory, int position) {
        long size = LENGTH_OVERHEAD + (long) memory.getInt(position + LENGTH);
        if (size < HEADER
                || size > memory.capacity() - position
                || memory.get(position + MAGIC) != 2
                || memory.getInt(position + LAST_OFFSET_DELTA) < 0) {
            return -1;
        }
        CRC32C crc = new CRC32C();
        crc.update(memory.slice(position + CRC_FROM, (int) size - CRC_FROM));
        return (int) crc.getValue() == memory.getInt(position + CRC) ? (int) size : -1;
    }
}
