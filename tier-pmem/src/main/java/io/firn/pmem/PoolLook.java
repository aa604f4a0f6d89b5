package io.firn.pmem;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.spi.TierRemains;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One look at a pool file. With both superblocks destroyed the layout is worked out from the block
 * table, whose entries can then not be verified.
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
            look();
        }
        return new TierRemains(
                "pool " + path,
                superblock == null ? null : superblock.tierId(),
                superblock == null ? null : superblock.storeId(),
                notes,
                flaws,
                segments);
    }

    private void look() throws IOException {
        for (int copy = 0; copy < PoolFormat.SUPERBLOCKS; copy++) {
            lookAtSuperblock(copy);
        }
        if (superblock != null) {
            format = superblock.format();
            blockCount = superblock.blockCount();
            if (file.size() != superblock.fileBytes()) {
                flaws.add(
                        String.format(
                                "size: %d bytes, %d expected",
                                file.size(), superblock.fileBytes()));
            }
        } else if (!guessLayout()) {
            flaws.add("no block table found in " + file.size() + " bytes");
            return;
        }
        notes.add(String.format("layout: %d blocks of %d bytes", blockCount, format.blockBytes()));
        int free = 0;
        for (int block = 0; block < blockCount; block++) {
            free += lookAtBlock(block) ? 1 : 0;
        }
        notes.add(String.format("%d of %d blocks free", free, blockCount));
    }

    private void lookAtSuperblock(int copy) throws IOException {
        Superblock found =
                Superblock.decode(
                        read(PoolFormat.superblockPosition(copy), Superblock.BYTES),
                        path.toString());
        if (found == null) {
            flaws.add("superblock " + copy + ": DAMAGED");
            return;
        }
        notes.add(
                String.format(
                        "superblock %d: pool %s, %d of %d, change %d",
                        copy,
                        found.poolId(),
                        found.poolIndex() + 1,
                        found.poolCount(),
                        found.sequence()));
        if (superblock == null || found.sequence() > superblock.sequence()) {
            superblock = found;
        }
    }

    /**
     * Every block has an entry in both halves of the table; how far they are apart tells its room.
     */
    private boolean guessLayout() throws IOException {
        long start = new PoolFormat(PoolFormat.MIN_BLOCK_BYTES, 1).slotPosition(0, 0);
        int entries = entriesFrom(start);
        long second = start + PoolFormat.PAGE;
        while (second < file.size() && (second - start < length(entries) || !isEntry(second))) {
            second += PoolFormat.PAGE;
        }
        if (second >= file.size()) {
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

    /** True when the block is free. */
    private boolean lookAtBlock(int block) throws IOException {
        BlockEntry newest = null;
        List<String> damaged = new ArrayList<>();
        for (int slot = 0; slot < PoolFormat.SLOTS; slot++) {
            byte[] bytes = read(format.slotPosition(block, slot), BlockEntry.SLOT_BYTES);
            BlockEntry found =
                    superblock == null
                            ? BlockEntry.parse(bytes)
                            : BlockEntry.decode(bytes, superblock.poolId(), block);
            if (found == null) {
                damaged.add("slot " + slot);
            } else if (newest == null || found.writes() > newest.writes()) {
                newest = found;
            }
        }
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
