package io.firn.pmem;

import io.firn.medium.TwoSlots;

/**
 * The layout of a pool file. Pages of 4 KiB may be torn or lost independently, so two copies of the
 * same thing are always in different pages.
 *
 * <pre>
 *  0            4096         8192          8192 + t      8192 + 2 t      dataStart
 *  | superblock | superblock | block table | block table | unused        |
 *  |   copy 0   |   copy 1   |   slots 0   |   slots 1   |               |
 *
 *  dataStart        + blockBytes      + 2 blockBytes
 *  | block 0        | block 1         | …
 *
 *  a block:
 *  0                                              room             + index       blockBytes
 *  | batches, as on the wire                      | offset index   | time index |
 * </pre>
 *
 * t is {@code tableRoom} slots of {@link BlockEntry#SLOT_BYTES}, rounded up to pages. {@code
 * dataStart} and every block are aligned to 2 MiB, so that the file system can map them with huge
 * pages. The table has room for more blocks than there are: a pool grows by appending blocks. All
 * numbers are big-endian.
 *
 * @param blockBytes the bytes of a block, a multiple of 2 MiB
 * @param tableRoom the number of blocks that the table has room for
 */
record PoolFormat(int blockBytes, int tableRoom) {
    static final int PAGE = 4096;
    static final int ALIGNMENT = 2 << 20;
    static final int MIN_BLOCK_BYTES = ALIGNMENT;
    static final int MAX_BLOCK_BYTES = 1 << 30;
    static final int SUPERBLOCKS = TwoSlots.COUNT;
    static final int SLOTS = TwoSlots.COUNT;

    private static final int TABLE_START = SUPERBLOCKS * PAGE;
    private static final int MIN_TABLE_ROOM = 1024;
    static final int MAX_TABLE_ROOM = 1 << 20;
    private static final int GROWTH = 4;

    // Kafka's indexes: 8 and 12 bytes for every 4 KiB of batches, and a last time entry.
    private static final int INDEX_ENTRY = 8;
    private static final int TIME_INDEX_ENTRY = 12;

    /** Returns the layout of a new pool. */
    static PoolFormat forNewPool(int blockBytes, int blockCount) {
        long room = Math.max(MIN_TABLE_ROOM, (long) blockCount * GROWTH);
        return new PoolFormat(blockBytes, (int) Math.min(room, MAX_TABLE_ROOM));
    }

    /** Returns whether a pool can have these numbers. */
    boolean isSane() {
        return isBlockSize(blockBytes) && tableRoom > 0 && tableRoom <= MAX_TABLE_ROOM;
    }

    static boolean isBlockSize(int bytes) {
        return bytes >= MIN_BLOCK_BYTES && bytes <= MAX_BLOCK_BYTES && bytes % ALIGNMENT == 0;
    }

    static int superblockPosition(int copy) {
        return copy * PAGE;
    }

    int tableBytes() {
        return (int) alignUp((long) tableRoom * BlockEntry.SLOT_BYTES, PAGE);
    }

    long slotPosition(int block, int slot) {
        return TABLE_START + (long) slot * tableBytes() + (long) block * BlockEntry.SLOT_BYTES;
    }

    long dataStart() {
        return alignUp(TABLE_START + (long) SLOTS * tableBytes(), ALIGNMENT);
    }

    long blockPosition(int block) {
        return dataStart() + (long) block * blockBytes;
    }

    long fileBytes(int blockCount) {
        return blockPosition(blockCount);
    }

    /** Returns how many blocks fit into a file of so many bytes. */
    int blocksIn(long fileBytes) {
        long fitting = Math.max(0, fileBytes - dataStart()) / blockBytes;
        return (int) Math.min(fitting, tableRoom);
    }

    /** Returns the bytes of a block that can hold batches. */
    int room() {
        return blockBytes - indexRoom() - timeIndexRoom();
    }

    int indexRoom() {
        return (blockBytes / PAGE + 2) * INDEX_ENTRY / PAGE * PAGE + PAGE;
    }

    int timeIndexRoom() {
        return (blockBytes / PAGE + 2) * TIME_INDEX_ENTRY / PAGE * PAGE + PAGE;
    }

    private static long alignUp(long value, int alignment) {
        return (value + alignment - 1) / alignment * alignment;
    }
}
