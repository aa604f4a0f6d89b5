package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.api.ObservedMedium;
import io.firn.api.Waiting;
import io.firn.medium.FileMedium;
import io.firn.spi.Block;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/** Small pools for tests, and what is done with them. */
public final class Pools {
    static final UUID STORE = new UUID(1, 2);
    static final UUID TOPIC = new UUID(3, 4);
    static final int BLOCK_BYTES = SmallPools.BLOCK_BYTES;
    static final int ROOM = 64 * 1024;

    private Pools() {}

    /**
     * A tier with so many of the smallest blocks in each pool. The file of an emulated pool is not
     * forced to the disk: power cuts are tested on simulated media.
     */
    static PmemTier withBlocks(int blocks, Path... directories) {
        FileMedium medium =
                PersistentMemory.isDemanded() ? FileMedium.real() : new ObservedMedium();
        return SmallPools.withBlocks(blocks, directories)
                .withMedium(medium)
                .withProvider(PersistentMemory.provider())
                .withWrappedProvider(PersistentMemory::demand);
    }

    static long fileBytes(int blocks) {
        return SmallPools.fileBytes(blocks);
    }

    static PmemTier open(PmemTier like) throws IOException {
        return open(like, true);
    }

    static PmemTier open(PmemTier like, boolean create) throws IOException {
        PmemTier tier = like.copy();
        tier.open(new TierContext(STORE, create, false));
        return tier;
    }

    static PmemTier openReadOnly(PmemTier like) throws IOException {
        PmemTier tier = like.copy();
        tier.open(new TierContext(STORE, false, true));
        return tier;
    }

    static Block reserve(PmemTier tier, long epoch) throws IOException {
        return tier.reserve(TOPIC, 0, ROOM, epoch);
    }

    static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    /** The record at an offset of a log: many small ones, some large. */
    static byte[] value(long offset) {
        SplittableRandom random = new SplittableRandom(offset);
        return bytes(offset, 1 + random.nextInt(offset % 10 == 0 ? 9000 : 400));
    }

    /** Deletes a pool, and gives its space back even while llpl, which never unmaps, has it. */
    static void discard(Path pool) throws IOException {
        Files.write(pool, new byte[0]);
        Files.delete(pool);
    }

    /** Waits for something that must come. */
    static void await(String what, BooleanSupplier condition) {
        Waiting.await(what, condition);
    }

    /** What the system says about a mapping of a file; empty when there is none. */
    static List<String> mappingFlags(Path file) throws IOException {
        List<String> flags = new ArrayList<>();
        boolean ours = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                ours = line.endsWith(" " + file.toRealPath());
            } else if (ours && line.startsWith("VmFlags:")) {
                flags.add(line);
            }
        }
        return flags;
    }

    /** Stores and forces bytes that depend on the segment's epoch, and marks them durable. */
    static Block fill(Block segment, int length) throws IOException {
        long epoch = segment.mark().epoch();
        segment.memory().put(0, bytes(epoch, length));
        segment.force(0, length);
        segment.writeMark(segment.mark().active(epoch, 1000, length, 1000 + length));
        return segment;
    }

    static Block seal(Block segment) throws IOException {
        int length = segment.mark().position();
        long epoch = segment.mark().epoch();
        segment.seal(segment.mark().sealed(epoch, 1000, length, 1000 + length, 77));
        return segment;
    }

    /** Free and used blocks are all blocks, and every used one holds one segment that is listed. */
    static void assertAccountedFor(PmemTier tier) throws IOException {
        List<Block> segments = tier.list();
        assertEquals((long) segments.size() * BLOCK_BYTES, tier.usedBytes(), "used by " + segments);
        long distinct = segments.stream().map(Block::name).distinct().count();
        assertEquals(segments.size(), distinct, "blocks with two segments in " + segments);
    }
}
