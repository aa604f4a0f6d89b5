package io.firn.pmem;

import io.firn.medium.TwoSlots;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The block table of a pool, with two slots for each entry ({@link TwoSlots}). An entry has one
 * owner at a time (the thread that allocated the block, then the segment in it), so no lock is
 * needed.
 *
 * <p>A change of state is written into both slots: if one slot is corrupted later, the other does
 * not contain an older state. The advance of a mark is written into one slot only: falling back to
 * the mark before it merely makes recovery check more.
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

    /** Returns the newest intact entry of a block; null when both slots are destroyed. */
    BlockEntry read(int block) throws IOException {
        return TwoSlots.newest(slot -> readSlot(block, slot), BlockEntry::writes).record();
    }

    /**
     * Returns all entries after a crash. They may so far exist in a cache only: as {@link
     * TwoSlots#restore} does for one record, all of them are stored again, and the table is forced
     * once, before anything depends on them. Then the other slot is written where it has another
     * state.
     */
    BlockEntry[] recover() throws IOException {
        BlockEntry[] entries = new BlockEntry[pool.blockCount()];
        boolean[] differ = new boolean[entries.length];
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
            differ[block] = first == null || second == null || !first.isSameStateAs(second);
            byte[] bytes = entries[block].encode(pool.poolId(), block);
            memory.bytes(position(block, newestSlot[block]), bytes.length).put(0, bytes);
        }
        int tableBytes = entries.length * BlockEntry.SLOT_BYTES;
        for (int slot = 0; slot < TwoSlots.COUNT; slot++) {
            memory.force(position(0, slot), tableBytes);
        }
        for (int block = 0; block < entries.length; block++) {
            if (differ[block]) {
                new EntrySlots(block).write(entries[block]);
            }
        }
        return entries;
    }

    /**
     * Returns whether both slots contain this incarnation of a block in use; a quick check, without
     * checksums.
     */
    boolean hasIncarnation(int block, long incarnation) {
        for (int slot = 0; slot < TwoSlots.COUNT; slot++) {
            ByteBuffer bytes = memory.bytes(position(block, slot), BlockEntry.SLOT_BYTES);
            if (!BlockEntry.hasIncarnation(bytes, incarnation)) {
                return false;
            }
        }
        return true;
    }

    /** Writes the next entry of a block; durable on return. */
    void write(int block, BlockEntry before, BlockEntry next, boolean both) throws IOException {
        EntrySlots slots = new EntrySlots(block);
        slots.write(next);
        if (both || before == null || !before.isSameStateAs(next)) {
            slots.write(next);
        }
    }

    /** The entry of one block. */
    private final class EntrySlots extends TwoSlots<BlockEntry> {
        private final int block;

        EntrySlots(int block) {
            super(newestSlot[block]);
            this.block = block;
        }

        @Override
        protected BlockEntry read(int slot) throws IOException {
            return readSlot(block, slot);
        }

        @Override
        protected void store(int slot, BlockEntry entry) throws IOException {
            memory.storeAndForce(position(block, slot), entry.encode(pool.poolId(), block));
            newestSlot[block] = (byte) slot;
        }
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
