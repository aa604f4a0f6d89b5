package io.firn.pmem;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.TwoSlots;
import io.firn.spi.TierInspector.TierRemains;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One inspection of a pool file. If both superblocks are destroyed, the layout is derived from the
 * block table, whose entries can then not be verified.
 */
final class PoolLook {
    private final FileMedium medium;
    private final Path path;
    private final List<String> notes = new ArrayList<>();
    private final List<String> flaws = new ArrayList<>();
    private final List<TierRemains.Remains> segments = new ArrayList<>();
    private MediumFile file;
    private Superblock superblock;
    private PoolFormat format;
    private int blockCount;

    PoolLook(FileMedium medium, Path path) {
        this.medium = medium;
        this.path = path;
    }

    TierRemains remains() throws IOException {
        try (MediumFile opened = medium.open(path, false)) {
            file = opened;
            inspect();
        }
        return new TierRemains(
                "pool " + path,
                superblock == null ? null : superblock.tierId(),
                superblock == null ? null : superblock.storeId(),
                notes,
                flaws,
                segments);
    }

    private void inspect() throws IOException {
        superblock = TwoSlots.newest(this::superblockIn, Superblock::sequence).record();
        if (superblock != null) {
            format = superblock.format();
            blockCount = superblock.blockCount();
            if (file.size() != superblock.fileBytes()) {
                flaws.add(
                        String.format(
                                "size: %d bytes, %d expected",
                                file.size(), superblock.fileBytes()));
            }
        } else if (!deriveLayout()) {
            flaws.add("no block table found in " + file.size() + " bytes");
            return;
        }
        notes.add(String.format("layout: %d blocks of %d bytes", blockCount, format.blockBytes()));
        int free = 0;
        for (int block = 0; block < blockCount; block++) {
            free += inspectBlock(block) ? 1 : 0;
        }
        notes.add(String.format("%d of %d blocks free", free, blockCount));
    }

    private Superblock superblockIn(int copy) throws IOException {
        Superblock found =
                Superblock.decode(
                        read(PoolFormat.superblockPosition(copy), Superblock.BYTES),
                        path.toString());
        if (found == null) {
            flaws.add("superblock " + copy + ": DAMAGED");
            return null;
        }
        notes.add(
                String.format(
                        "superblock %d: pool %s, %d of %d, change %d",
                        copy,
                        found.poolId(),
                        found.poolIndex() + 1,
                        found.poolCount(),
                        found.sequence()));
        return found;
    }

    /**
     * Derives the layout from the table. Every block has an entry in both halves of the table, so
     * the distance between the two is the room of the table.
     */
    private boolean deriveLayout() throws IOException {
        long start = new PoolFormat(PoolFormat.MIN_BLOCK_BYTES, 1).slotPosition(0, 0);
        int entries = entriesFrom(start);
        long second = start + PoolFormat.PAGE;
        // No table is larger, however large the file is.
        long end = Math.min(file.size(), start + length(PoolFormat.MAX_TABLE_ROOM + 1));
        while (second < end && (second - start < length(entries) || !isEntry(second))) {
            second += PoolFormat.PAGE;
        }
        if (second >= end) {
            return false;
        }
        entries = Math.max(entries, entriesFrom(second));
        int room = (int) ((second - start) / BlockEntry.SLOT_BYTES);
        long dataStart = new PoolFormat(PoolFormat.MIN_BLOCK_BYTES, room).dataStart();
        long blockBytes =
                (file.size() - dataStart) / entries / PoolFormat.ALIGNMENT * PoolFormat.ALIGNMENT;
        format = new PoolFormat((int) Math.min(blockBytes, PoolFormat.MAX_BLOCK_BYTES), room);
        blockCount = entries;
        notes.add("no superblock: layout and entries are worked out from the table, not verified");
        return format.isSane();
    }

    private static long length(int entries) {
        return (long) entries * BlockEntry.SLOT_BYTES;
    }

    private int entriesFrom(long position) throws IOException {
        int entries = 0;
        while (isEntry(position + length(entries))) {
            entries++;
        }
        return entries;
    }

    private boolean isEntry(long position) throws IOException {
        return BlockEntry.parse(read(position, BlockEntry.SLOT_BYTES)) != null;
    }

    /** Adds a block to the result; returns whether it is free. */
    private boolean inspectBlock(int block) throws IOException {
        List<String> damaged = new ArrayList<>();
        BlockEntry newest =
                TwoSlots.newest(slot -> entryIn(block, slot, damaged), BlockEntry::writes).record();
        String flaw = damaged.isEmpty() ? "" : "its entry, " + String.join(" and ", damaged);
        if (newest != null && newest.isFree()) {
            if (!damaged.isEmpty()) {
                flaws.add("block " + block + ", which is free, DAMAGED: " + flaw);
            }
            return true;
        }
        segments.add(
                new TierRemains.Remains(
                        path + " block " + block,
                        newest == null ? null : newest.mark(),
                        flaw,
                        () -> readBlock(format.blockPosition(block), format.room())));
        return false;
    }

    private BlockEntry entryIn(int block, int slot, List<String> damaged) throws IOException {
        byte[] bytes = read(format.slotPosition(block, slot), BlockEntry.SLOT_BYTES);
        BlockEntry found =
                superblock == null
                        ? BlockEntry.parse(bytes)
                        : BlockEntry.decode(bytes, superblock.poolId(), block);
        if (found == null) {
            damaged.add("slot " + slot);
        }
        return found;
    }

    private byte[] readBlock(long position, int room) throws IOException {
        try (MediumFile again = medium.open(path, false)) {
            byte[] bytes = new byte[(int) Math.max(0, Math.min(room, again.size() - position))];
            again.read(position, bytes, 0, bytes.length);
            return bytes;
        }
    }

    private byte[] read(long position, int length) throws IOException {
        byte[] bytes = new byte[length];
        file.read(position, bytes, 0, length);
        return bytes;
    }
}
