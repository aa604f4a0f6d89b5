package io.firn.pmem;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The block table of a pool. Every entry has one owner at a time (who took the block, then the
 * segment in it), so no lock is needed.
 *
 * <p>A change of state goes into both slots, one durable before the other is touched: should one
 * slot rot later, the other cannot bring an older state back. Only the advance of a mark
 * alternates: falling back to the mark before it costs recovery some checking, and nothing else.
 */
final class BlockTable {
    private final PmemMemory memory;
    private final Superblock pool;
    private final byte[] newestSlot;

    BlockTable(PmemMemory memory, Superblock pool) {
        this.memory = memory;
        this.pool = pool;
        this.newestSlot = new byte[pool.blockCount()];
    }

    /** The newest whole entry of a block; null when both slots are destroyed. */
    BlockEntry read(int block) throws IOException {
        BlockEntry first = readSlot(block, 0);
        BlockEntry second = readSlot(block, 1);
        if (first == null || second == null) {
            return first == null ? second : first;
        }
        return second.writes() > first.writes() ? second : first;
    }

    /**
     * All entries, after a crash. What is read may so far exist in a cache only: it is stored again
     * and forced before anybody acts on it. Then slots that lack their twin's state get it.
     */
    BlockEntry[] settle() throws IOException {
        BlockEntry[] entries = new BlockEntry[pool.blockCount()];
        boolean[] unlike = new boolean[entries.length];
        for (int block = 0; block < entries.length; block++) {
            BlockEntry first = readSlot(block, 0);
            BlockEntry second = readSlot(block, 1);
            boolean isSecond =
                    second != null && (first == null || second.writes() > first.writes());
            newestSlot[block] = (byte) (isSecond ? 1 : 0);
            entries[block] = isSecond ? second : first;
            if (entries[block] == null) {
                continue;
            }
            unlike[block] = first == null || second == null || !first.isSameStateAs(second);
            byte[] bytes = entries[block].encode(pool.poolId(), block);
            memory.bytes(position(block, newestSlot[block]), bytes.length).put(0, bytes);
        }
        int tableBytes = entries.length * BlockEntry.SLOT_BYTES;
        for (int slot = 0; slot < PoolFormat.SLOTS; slot++) {
            memory.force(position(0, slot), tableBytes);
        }
        for (int block = 0; block < entries.length; block++) {
            if (unlike[block]) {
                writeOther(block, entries[block]);
            }
        }
        return entries;
    }

    /** Whether both slots tell of this life of a block in use; a quick look, without checksums. */
    boolean isLife(int block, long life) {
        for (int slot = 0; slot < PoolFormat.SLOTS; slot++) {
            ByteBuffer bytes = memory.bytes(position(block, slot), BlockEntry.SLOT_BYTES);
            if (!BlockEntry.isLife(bytes, life)) {
                return false;
            }
        }
        return true;
    }

    /** Writes the next entry of a block; durable on return. */
    void write(int block, BlockEntry before, BlockEntry next, boolean both) throws IOException {
        writeOther(block, next);
        if (both || before == null || !before.isSameStateAs(next)) {
            writeOther(block, next);
        }
    }

    /** A torn write must leave the newest entry whole, so the other slot is overwritten. */
    private void writeOther(int block, BlockEntry entry) throws IOException {
        int slot = PoolFormat.SLOTS - 1 - newestSlot[block];
        memory.storeAndForce(position(block, slot), entry.encode(pool.poolId(), block));
        newestSlot[block] = (byte) slot;
    }

    private BlockEntry readSlot(int block, int slot) throws IOException {
        byte[] bytes = new byte[BlockEntry.SLOT_BYTES];
        try {
            memory.bytes(position(block, slot), bytes.length).get(0, bytes);
        } catch (InternalError e) {
            throw new IOException("a page of the block table cannot be read", e);
        }
        return BlockEntry.decode(bytes, pool.poolId(), block);
    }

    private long position(int block, int slot) {
        return pool.format().slotPosition(block, slot);
    }
}
