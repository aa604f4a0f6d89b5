package io.firn.pmem;

import io.firn.spi.FileMedium;
import io.firn.spi.MediumFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Shows what is in a pool file, whatever state it is in, and changes nothing: superblocks, block
 * table, and how far the batches in each block follow one another. With both superblocks destroyed
 * the layout is worked out from the table, and entries are shown that cannot be verified. Takes no
 * lock: beside a process that writes, what it shows may be half old and half new.
 */
public final class PoolInspection {
    private static final int BATCH_LENGTH = 8;
    private static final int BATCH_LAST_OFFSET_DELTA = 23;
    private static final int BATCH_HEADER = 61;
    private static final int BEFORE_LENGTH = 12;
    private static final int DEPTH = 3;

    private final List<String> lines = new ArrayList<>();
    private final MediumFile file;
    private final Path path;
    private Superblock superblock;
    private PoolFormat format;
    private int blockCount;

    private PoolInspection(MediumFile file, Path path) {
        this.file = file;
        this.path = path;
    }

    /**
     * One line for each thing that is there.
     *
     * @param directory of the pool, or the pool file itself
     * @throws IOException when it cannot be read
     */
    public static List<String> of(FileMedium medium, Path directory) throws IOException {
        Path inside = directory.resolve(PoolFile.NAME);
        Path path = medium.exists(inside) ? inside : directory;
        try (MediumFile file = medium.open(path, false)) {
            PoolInspection inspection = new PoolInspection(file, path);
            inspection.run();
            return inspection.lines;
        }
    }

    /** Prints what is in the pools that lie in or below the directories that are named. */
    public static void main(String[] directories) throws IOException {
        int found = 0;
        for (String directory : directories) {
            if (!Files.exists(Path.of(directory))) {
                System.err.println("There is no " + directory + ": name directories, or --help");
                System.exit(2);
            }
        }
        for (String directory : directories) {
            try (Stream<Path> below = Files.walk(Path.of(directory), DEPTH)) {
                for (Path pool : below.filter(PoolInspection::isPool).sorted().toList()) {
                    of(FileMedium.real(), pool).forEach(System.out::println);
                    found++;
                }
            }
        }
        if (found == 0) {
            System.err.println("No pool in or below " + String.join(", ", directories));
            System.exit(1);
        }
    }

    private static boolean isPool(Path path) {
        return path.endsWith(PoolFile.NAME) && Files.isRegularFile(path);
    }

    private void run() throws IOException {
        say("pool %s, %d bytes", path, file.size());
        for (int copy = 0; copy < PoolFormat.SUPERBLOCKS; copy++) {
            lookAtSuperblock(copy);
        }
        if (superblock != null) {
            format = superblock.format();
            blockCount = superblock.blockCount();
            if (file.size() != superblock.fileBytes()) {
                say("  size: %d bytes expected", superblock.fileBytes());
            }
        } else if (!guessLayout()) {
            say("  no block table found");
            return;
        }
        say("  layout: %d blocks of %d bytes", blockCount, format.blockBytes());
        int free = 0;
        for (int block = 0; block < blockCount; block++) {
            free += lookAtBlock(block) ? 1 : 0;
        }
        say("  %d of %d blocks free", free, blockCount);
    }

    private void lookAtSuperblock(int copy) throws IOException {
        Superblock found =
                Superblock.decode(
                        read(PoolFormat.superblockPosition(copy), Superblock.BYTES),
                        path.toString());
        if (found == null) {
            say("  superblock %d: DAMAGED", copy);
            return;
        }
        say(
                "  superblock %d: pool %s, %d of %d of tier %s, store %s, change %d",
                copy,
                found.poolId(),
                found.poolIndex() + 1,
                found.poolCount(),
                found.tierId(),
                found.storeId(),
                found.sequence());
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
        say("  no superblock: layout and entries are worked out from the table, not verified");
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
        StringBuilder damage = new StringBuilder();
        for (int slot = 0; slot < PoolFormat.SLOTS; slot++) {
            byte[] bytes = read(format.slotPosition(block, slot), BlockEntry.SLOT_BYTES);
            BlockEntry found =
                    superblock == null
                            ? BlockEntry.parse(bytes)
                            : BlockEntry.decode(bytes, superblock.poolId(), block);
            if (found == null) {
                damage.append(", slot ").append(slot).append(" DAMAGED");
            } else if (newest == null || found.writes() > newest.writes()) {
                newest = found;
            }
        }
        if (newest == null) {
            say("  block %d%s; %s", block, damage, batches(block, 0));
            return false;
        }
        if (newest.isFree()) {
            if (damage.length() > 0) {
                say("  block %d: FREE%s", block, damage);
            }
            return true;
        }
        say(
                "  block %d: %s topic %s partition %d epoch %d, durable to offset %d at %d of %d%s"
                        + "%s; %s",
                block,
                newest.mark().state(),
                newest.mark().topicId(),
                newest.mark().partition(),
                newest.epoch(),
                newest.mark().offset(),
                newest.mark().position(),
                newest.room(),
                newest.finished() ? ", indexed" : "",
                damage,
                batches(block, newest.mark().baseOffset()));
        return false;
    }

    /** How far batches follow one another, by their headers; their checksums are not looked at. */
    private String batches(int block, long baseOffset) throws IOException {
        long start = format.blockPosition(block);
        int position = 0;
        long first = -1;
        long next = Math.max(0, baseOffset);
        while (position + BATCH_HEADER <= format.room()) {
            ByteBuffer header = ByteBuffer.wrap(read(start + position, BATCH_HEADER));
            long offset = header.getLong(0);
            long bytes = BEFORE_LENGTH + (long) header.getInt(BATCH_LENGTH);
            boolean follows = first < 0 ? offset >= next : offset == next;
            if (!follows || bytes < BATCH_HEADER || bytes > format.room() - position) {
                break;
            }
            first = first < 0 ? offset : first;
            next = offset + header.getInt(BATCH_LAST_OFFSET_DELTA) + 1;
            position += (int) bytes;
        }
        return first < 0
                ? "no batches"
                : "batches with offsets "
                        + first
                        + " to "
                        + (next - 1)
                        + " in "
                        + position
                        + " bytes";
    }

    private byte[] read(long position, int length) throws IOException {
        byte[] bytes = new byte[length];
        file.read(position, bytes, 0, length);
        return bytes;
    }

    private void say(String format, Object... arguments) {
        lines.add(String.format(format, arguments));
    }
}
