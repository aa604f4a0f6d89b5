package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.firn.StoreFullException;
import io.firn.spi.Block;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.StorageTier.TierContext;
import io.firn.spi.View;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pools that are not as they should be are refused, and the refusal says what is wrong. */
class PmemTierBadDaysTest {
    private static final int BLOCKS = 3;
    private static final int LENGTH = 3000;

    @TempDir Path directory;

    private PmemTier pool() {
        return Pools.withBlocks(BLOCKS, directory);
    }

    private Path file() {
        return directory.resolve(PoolFile.NAME);
    }

    private void createWithASegment() throws IOException {
        try (PmemTier tier = Pools.open(pool())) {
            Pools.fill(Pools.reserve(tier, 1), LENGTH);
        }
    }

    private String refusal() throws IOException {
        PmemTier tier = pool();
        TierContext context = new TierContext(Pools.STORE, true, false);
        byte[] before = Files.exists(file()) ? Files.readAllBytes(file()) : new byte[0];
        IOException refused = assertThrows(IOException.class, () -> tier.open(context));
        if (before.length > 0) {
            assertArrayEquals(before, Files.readAllBytes(file()), "the pool was changed");
        }
        return refused.getMessage();
    }

    private void assertSegmentIsThere() throws IOException {
        try (PmemTier tier = Pools.open(pool(), false)) {
            byte[] read = new byte[LENGTH];
            tier.list().get(0).read(0, read, 0, LENGTH);
            assertArrayEquals(Pools.bytes(1, LENGTH), read);
            Pools.assertAccountedFor(tier);
        }
    }

    private static void assertSays(String message, Object... expected) {
        for (Object part : expected) {
            assertTrue(message.contains(part.toString()), "'" + part + "' in: " + message);
        }
    }

    @Test
    void shouldRefuseAMissingPoolAndMakeNone() throws IOException {
        PmemTier tier = pool();
        TierContext known = new TierContext(Pools.STORE, false, false);

        IOException refused = assertThrows(IOException.class, () -> tier.open(known));

        assertSays(refused.getMessage(), directory, "'pool'", "mounted");
        try (var files = Files.list(directory)) {
            assertEquals(0, files.count());
        }
    }

    @Test
    void shouldRefuseAPoolThatWasCutShort() throws IOException {
        createWithASegment();
        long half = Pools.fileBytes(BLOCKS) - Pools.BLOCK_BYTES / 2;
        PoolDamage.setLength(directory, half);

        assertSays(refusal(), file(), Pools.fileBytes(BLOCKS), half);
    }

    @Test
    void shouldRefuseAPoolThatIsNearlyEmpty() throws IOException {
        createWithASegment();
        PoolDamage.setLength(directory, 100);

        assertSays(refusal(), file(), 100);
    }

    @Test
    void shouldRefuseAPoolThatIsLongerThanItSays() throws IOException {
        createWithASegment();
        PoolDamage.setLength(directory, Pools.fileBytes(BLOCKS) + 1);

        assertSays(refusal(), Pools.fileBytes(BLOCKS), Pools.fileBytes(BLOCKS) + 1);
    }

    @Test
    void shouldRefuseAFileThatIsNoPool() throws IOException {
        Files.write(file(), new byte[1 << 20]);

        assertSays(refusal(), file(), String.format("%016x", Superblock.MAGIC));
    }

    @Test
    void shouldRefuseANewerPoolByItsVersion() throws IOException {
        createWithASegment();
        for (int copy = 0; copy < 2; copy++) {
            byte[] page = new byte[Superblock.BYTES];
            try (RandomAccessFile pool = new RandomAccessFile(file().toFile(), "r")) {
                pool.seek(PoolFormat.superblockPosition(copy));
                pool.readFully(page);
            }
            CRC32C crc = new CRC32C();
            ByteBuffer.wrap(page).putInt(8, 99);
            crc.update(page, 0, page.length - 4);
            ByteBuffer.wrap(page).putInt(page.length - 4, (int) crc.getValue());
            PoolDamage.write(directory, PoolFormat.superblockPosition(copy), page);
        }

        assertSays(refusal(), "version 99", "up to " + Superblock.VERSION);
    }

    @Test
    void shouldUseTheOtherSuperblockWhenOneIsDestroyedAndRestoreIt() throws IOException {
        createWithASegment();
        for (int copy = 0; copy < 2; copy++) {
            PoolDamage.overwrite(directory, PoolFormat.superblockPosition(copy), 200);
            assertSegmentIsThere();
            assertTrue(PoolFile.read(io.firn.medium.FileMedium.real(), file()).isComplete());
        }
    }

    /** Whatever it would say otherwise, and however sane that looks. */
    @Test
    void shouldUseTheOtherSuperblockWhicheverByteOfOneRots() throws IOException {
        createWithASegment();
        for (int i = 8; i < 112; i += 3) {
            int position = PoolFormat.superblockPosition(i % 2) + i;
            byte[] pool = Files.readAllBytes(file());
            PoolDamage.write(directory, position, new byte[] {(byte) (pool[position] ^ 1)});
            assertSegmentIsThere();
            assertArrayEquals(pool, Files.readAllBytes(file()), "byte " + i + " is not restored");
        }
    }

    @Test
    void shouldDoWithoutASidecarThatRots() throws IOException {
        byte[] index = Pools.bytes(7, 80);
        try (PmemTier tier = Pools.open(pool())) {
            Pools.seal(Pools.fill(Pools.reserve(tier, 1), LENGTH)).finishSeal(index, new byte[12]);
            assertArrayEquals(index, tier.list().get(0).readSidecar(Sidecar.INDEX));
        }
        byte[] pool = Files.readAllBytes(file());
        int position = 0;
        while (!Arrays.equals(pool, position, position + 80, index, 0, 80)) {
            position++;
        }
        PoolDamage.write(directory, position, new byte[] {(byte) ~index[0]});
        try (PmemTier tier = Pools.open(pool(), false)) {
            assertNull(tier.list().get(0).readSidecar(Sidecar.INDEX));
        }
    }

    @Test
    void shouldGiveNobodyABlockThatIsStillRead() throws IOException {
        try (PmemTier tier = Pools.open(pool())) {
            Block read = Pools.fill(Pools.reserve(tier, 1), LENGTH);
            View view = read.view();
            assertTrue(view.pin());
            read.delete();
            for (int i = 1; i < BLOCKS; i++) {
                Pools.reserve(tier, 1 + i);
            }
            assertThrows(StoreFullException.class, () -> Pools.reserve(tier, 98));
            view.unpin();
            Pools.reserve(tier, 99);
        }
    }

    @Test
    void shouldRefuseAPoolWithBothSuperblocksDestroyed() throws IOException {
        createWithASegment();
        PoolDamage.overwrite(directory, 0, 2 * Superblock.BYTES);

        assertSays(refusal(), file(), "neither copy", "restore");
    }

    @Test
    void shouldKeepABlockWhoseEntryIsDestroyedOutOfUse() throws IOException {
        createWithASegment();
        PoolDamage.overwrite(directory, PoolDamage.slot(0, 0), BlockEntry.SLOT_BYTES);
        PoolDamage.overwrite(directory, PoolDamage.slot(0, 1), BlockEntry.SLOT_BYTES);

        try (PmemTier tier = Pools.open(pool(), false)) {
            Block damaged = tier.list().get(0);
            assertNull(damaged.mark());
            assertSays(damaged.name(), file(), "block 0");
            assertThrows(IllegalStateException.class, damaged::memory);
            assertThrows(IOException.class, damaged::delete);
            for (int i = 1; i < BLOCKS; i++) {
                assertFalse(Pools.reserve(tier, i).name().endsWith("block 0"));
            }
            assertThrows(io.firn.StoreFullException.class, () -> Pools.reserve(tier, 9));
            Pools.assertAccountedFor(tier);
        }
    }

    @Test
    void shouldNotTakeAnEntryForItsOwnThatWasCopiedFromAnotherPlace() throws IOException {
        createWithASegment();
        byte[] entry = new byte[BlockEntry.SLOT_BYTES];
        try (RandomAccessFile pool = new RandomAccessFile(file().toFile(), "r")) {
            pool.seek(PoolDamage.slot(0, 1));
            pool.readFully(entry);
        }
        PoolDamage.write(directory, PoolDamage.slot(1, 0), entry);
        PoolDamage.write(directory, PoolDamage.slot(1, 1), entry);

        try (PmemTier tier = Pools.open(pool(), false)) {
            assertNull(tier.list().get(1).mark());
        }
    }

    @Test
    void shouldRefuseThePoolOfAnotherStore() throws IOException {
        UUID other = new UUID(7, 8);
        PmemTier foreign = pool();
        foreign.open(new TierContext(other, true, false));
        foreign.close();

        assertSays(refusal(), file(), other, Pools.STORE);
    }

    @Test
    void shouldRefuseToBeCreatedWhereThereIsTooLittleRoom() throws IOException {
        long much = 1L << 50;
        PmemTier tier = pool().withCapacityBytes(much).withBlockBytes(1 << 30);
        TierContext context = new TierContext(Pools.STORE, true, false);

        IOException refused = assertThrows(IOException.class, () -> tier.open(context));

        assertSays(refused.getMessage(), file(), "bytes", "left");
        assertFalse(Files.exists(file()));
    }

    @Test
    void shouldRefuseACapacityThatHoldsNoBlock() throws IOException {
        PmemTier tier = pool().withCapacityBytes(Pools.BLOCK_BYTES);
        TierContext context = new TierContext(Pools.STORE, true, false);

        IOException refused = assertThrows(IOException.class, () -> tier.open(context));

        assertSays(refused.getMessage(), Pools.BLOCK_BYTES, Pools.fileBytes(1));
    }

    @Test
    void shouldStopMarkingWhenThePoolIsCutWhileOpen() throws IOException {
        try (PmemTier tier = Pools.open(pool())) {
            Block segment = Pools.fill(Pools.reserve(tier, 1), LENGTH);
            PoolDamage.setLength(directory, Pools.fileBytes(BLOCKS - 1));

            IOException refused =
                    assertThrows(
                            IOException.class,
                            () -> segment.writeMark(segment.mark().active(1, 1000, 1, 1001)));

            assertSays(refused.getMessage(), Pools.fileBytes(BLOCKS), Pools.fileBytes(BLOCKS - 1));
        }
    }

    @Test
    void shouldRefuseOptionsThatMeanNothing() {
        assertThrows(InvalidOptionException.class, () -> pool().withBlockBytes(3 << 20));
        assertThrows(InvalidOptionException.class, () -> pool().withCapacityBytes(-2));
        assertThrows(InvalidOptionException.class, () -> pool().withPoolRatio(0));
        assertThrows(InvalidOptionException.class, PmemTier::at);
        Path same = directory.resolve("../" + directory.getFileName());
        assertThrows(InvalidOptionException.class, () -> PmemTier.at(directory, same));
    }

    @Test
    void shouldRefuseOneDirectoryInThePlaceOfAnother() throws IOException {
        Path first = directory.resolve("pmem1");
        Path second = directory.resolve("pmem10");
        Pools.open(Pools.withBlocks(1, first, second)).close();

        PmemTier swapped = Pools.withBlocks(1, second, first);
        PmemTier alone = Pools.withBlocks(1, first);
        TierContext context = new TierContext(Pools.STORE, true, false);

        IOException refused = assertThrows(IOException.class, () -> swapped.open(context));
        assertSays(refused.getMessage(), second, "pool 2 of 2", "pool 1 of 2");
        refused = assertThrows(IOException.class, () -> alone.open(context));
        assertSays(refused.getMessage(), "pool 1 of 2", "pool 1 of 1");
    }
}
