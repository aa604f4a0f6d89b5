package io.firn.pmem;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.StoreFullException;
import io.firn.StoreLockedException;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.spi.Block;
import io.firn.spi.StorageTier.TierContext;
import io.firn.spi.View;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What people and machines do to an open pool, and to the paths that lead to it. */
class PmemTierTroubleTest {
    private static final int BLOCKS = 3;

    @TempDir private Path directory;

    private Path file() {
        return directory.resolve(PoolFile.NAME);
    }

    private PmemTier pool() {
        return Pools.withBlocks(BLOCKS, directory);
    }

    @Test
    void shouldUnmapWhenTheLastReaderLetsGoAfterItWasClosed() throws IOException {
        PmemTier tier = Pools.open(pool().withProvider(Provider.AUTO));
        View view = Pools.fill(Pools.reserve(tier, 1), 100).view();
        assertTrue(view.pin());
        tier.close();
        assertNotEquals(List.of(), Pools.mappingFlags(file()));

        view.unpin();

        assertEquals(List.of(), Pools.mappingFlags(file()));
    }

    @Test
    void shouldCountWhatTheOwnerUsesInAReadOnlyTier() throws IOException {
        try (PmemTier tier = Pools.open(pool());
                PmemTier reading = Pools.openReadOnly(pool())) {
            assertEquals(0, reading.usedBytes());
            Block segment = Pools.fill(Pools.reserve(tier, 1), 100);
            reading.list();
            assertEquals(Pools.BLOCK_BYTES, reading.usedBytes());
            segment.delete();
            reading.list();
            assertEquals(0, reading.usedBytes());
        }
    }

    /** Not after some time that the tier is full, which would have the next tier serve instead. */
    @Test
    void shouldSayThatItWasCutHoweverOftenItIsAskedForABlock() throws IOException {
        try (PmemTier tier = Pools.open(pool())) {
            PoolDamage.setLength(directory, Pools.fileBytes(BLOCKS) - 1);
            for (int i = 0; i < 2 * BLOCKS; i++) {
                long epoch = i;
                IOException refused =
                        assertThrows(IOException.class, () -> Pools.reserve(tier, epoch));
                assertTrue(
                        refused.getMessage().contains("" + Pools.fileBytes(BLOCKS)),
                        refused.getMessage());
            }
            PoolDamage.setLength(directory, Pools.fileBytes(BLOCKS));
            for (int i = 0; i < BLOCKS; i++) {
                Pools.reserve(tier, i);
            }
            Pools.assertAccountedFor(tier);
        }
    }

    @Test
    void shouldFreeABlockThatCouldNotBeBroughtIn() throws IOException {
        AtomicBoolean failing = new AtomicBoolean();
        PmemTier pool = pool().withWrappedProvider(p -> WatchedProvider.failing(p, failing));
        try (PmemTier tier = Pools.open(pool)) {
            failing.set(true);
            for (int i = 0; i < 2 * BLOCKS; i++) {
                Block reserved = Pools.reserve(tier, i);
                IOException refused =
                        assertThrows(
                                IOException.class,
                                () -> reserved.prepare(0, reserved.capacity(), false));
                assertEquals("on purpose", refused.getMessage());
                reserved.delete();
            }
            assertEquals(0, tier.usedBytes());
            failing.set(false);
            for (int i = 0; i < BLOCKS; i++) {
                Pools.reserve(tier, i);
            }
            Pools.assertAccountedFor(tier);
        }
    }

    @Test
    void shouldLookAgainWhileReadersBringViewsInAndLetThemGo() throws Exception {
        int rounds = 20_000;
        try (PmemTier tier = Pools.open(pool());
                PmemTier reading = Pools.openReadOnly(pool())) {
            Pools.seal(Pools.fill(Pools.reserve(tier, 1), 100))
                    .finishSeal(new byte[0], new byte[0]);
            Block segment = reading.list().get(0);
            CountDownLatch looked = new CountDownLatch(1);
            Thread looking =
                    new Thread(
                            () -> {
                                for (int i = 0; i < rounds; i++) {
                                    try {
                                        reading.list();
                                    } catch (IOException e) {
                                        throw new UncheckedIOException(e);
                                    }
                                }
                                looked.countDown();
                            });
            looking.setDaemon(true);
            looking.start();
            while (looked.getCount() > 0 && looking.isAlive()) {
                segment.view();
                segment.detachView().tryRelease();
            }
            assertEquals(0, looked.getCount());
        }
    }

    @Test
    void shouldNotTakeTwoPathsToOneDirectoryForTwoPools() throws IOException {
        Path real = Files.createDirectory(directory.resolve("real"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        PmemTier tier = Pools.withBlocks(1, real, link);
        TierContext context = new TierContext(Pools.STORE, true, false);

        assertThrows(StoreLockedException.class, () -> tier.open(context));

        assertFalse(Files.exists(real.resolve(PoolFile.NAME)));
        try (PmemTier one = Pools.open(Pools.withBlocks(1, link))) {
            Pools.reserve(one, 1);
        }
        try (PmemTier one = Pools.open(Pools.withBlocks(1, real), false)) {
            assertEquals(1, one.list().size());
        }
    }

    @Test
    void shouldRefuseADirectoryInThePlaceOfThePool() throws IOException {
        Files.createDirectory(file());
        assertSays(refusal(directory), file());
        assertSays(refusal(directory), "file");
    }

    @Test
    void shouldRefuseAFileInThePlaceOfItsDirectory() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertSays(refusal(file), file);
        assertEquals(0, Files.size(file));
    }

    private String refusal(Path at) {
        PmemTier tier = Pools.withBlocks(1, at);
        TierContext context = new TierContext(Pools.STORE, true, false);
        return assertThrows(IOException.class, () -> tier.open(context)).getMessage();
    }

    private static void assertSays(String message, Object expected) {
        assertTrue(message.contains(expected.toString()), "'" + expected + "' in: " + message);
    }

    @Test
    void shouldRefuseOnePoolOfTwoWhenTheOtherIsGone() throws IOException {
        Path[] both = {directory.resolve("a"), directory.resolve("b")};
        Pools.open(Pools.withBlocks(1, both)).close();
        for (Path missing : both) {
            Path aside = directory.resolve("aside");
            Files.move(missing.resolve(PoolFile.NAME), aside);
            PmemTier tier = Pools.withBlocks(1, both);
            TierContext known = new TierContext(Pools.STORE, false, false);
            String said = assertThrows(IOException.class, () -> tier.open(known)).getMessage();
            assertSays(said, missing);
            assertFalse(Files.exists(missing.resolve(PoolFile.NAME)));
            Files.move(aside, missing.resolve(PoolFile.NAME));
        }
        Pools.open(Pools.withBlocks(1, both), false).close();
    }

    /** Buffers end at 2 GiB; the file is sparse, its table says that most blocks are taken. */
    @Test
    void shouldReachEveryBlockOfAPoolOfMoreThanFourGiB() throws IOException {
        int blocks = 2300;
        PoolFormat format = PoolFormat.forNewPool(Pools.BLOCK_BYTES, blocks);
        assertTrue(format.fileBytes(blocks) > 4L << 30);
        List<Integer> free = List.of(0, 510, 511, 512, 1022, 1023, 1024, 2046, 2047, 2048, 2299);
        makeSparse(format, blocks, free);
        PmemTier pool =
                pool().withMedium(FileMedium.real())
                        .withCapacityBytes(1)
                        .withProvider(Provider.JDK);
        // Nothing that is sparse may be mapped on persistent memory with LLPL, which fills it.
        try (PmemTier tier = Pools.open(pool, false)) {
            for (int i = 0; i < free.size(); i++) {
                Block segment = tier.reserve(Pools.TOPIC, 1, format.room(), 100 + i);
                segment.memory().put(format.room() - 100, Pools.bytes(100 + i, 100));
                segment.force(0, format.room());
                segment.writeMark(segment.mark().active(100 + i, i, format.room(), i + 1));
            }
            assertThrows(StoreFullException.class, () -> Pools.reserve(tier, 9));
        }
        try (PmemTier tier = Pools.open(pool, false)) {
            Pools.assertAccountedFor(tier);
            int found = 0;
            for (Block segment : tier.list()) {
                if (segment.mark().partition() == 1) {
                    byte[] read = new byte[100];
                    segment.read(format.room() - 100, read, 0, 100);
                    byte[] expected = Pools.bytes(segment.mark().epoch(), 100);
                    assertArrayEquals(expected, read, segment.name());
                    segment.view().buffer().get(format.room() - 100, read);
                    assertArrayEquals(expected, read, segment.name());
                    found++;
                }
            }
            assertEquals(free.size(), found);
        }
    }

    private void makeSparse(PoolFormat format, int blocks, List<Integer> free) throws IOException {
        UUID id = new UUID(5, 6);
        Superblock pool =
                new Superblock(
                        id,
                        Pools.STORE,
                        new UUID(7, 8),
                        0,
                        1,
                        format,
                        blocks,
                        format.fileBytes(blocks),
                        1);
        BlockEntry taken =
                BlockEntry.neverUsed()
                        .reserved(io.firn.spi.Mark.reserved(Pools.TOPIC, 0, 1), Pools.ROOM);
        try (MediumFile out = FileMedium.real().create(file())) {
            out.setSize(pool.fileBytes());
            for (int copy = 0; copy < PoolFormat.SUPERBLOCKS; copy++) {
                byte[] page = pool.encode();
                out.write(PoolFormat.superblockPosition(copy), page, 0, page.length);
                for (int block = 0; block < blocks; block++) {
                    BlockEntry entry = free.contains(block) ? BlockEntry.neverUsed() : taken;
                    byte[] slot = entry.encode(id, block);
                    out.write(format.slotPosition(block, copy), slot, 0, slot.length);
                }
            }
        }
    }

    /** In a process of its own: what goes wrong here ends the JVM. */
    @ParameterizedTest
    @EnumSource(names = {"JDK", "LLPL", "LIBPMEM"})
    void shouldFailWithAnErrorWhenAPoolIsCutBelowAnOpenSegment(Provider provider) throws Exception {
        assumeTrue(ProviderTest.whyNot(provider) == null, ProviderTest.whyNot(provider));
        Path output = directory.resolve("output");
        Process child = CuttingChild.start(directory.resolve("pmem"), provider, output);
        try {
            assertTrue(child.waitFor(HANGS_AFTER_S, TimeUnit.SECONDS), "the child hangs");
        } finally {
            child.destroyForcibly();
        }
        String said = Files.readString(output);
        assertEquals(0, child.exitValue(), said);
        assertTrue(said.contains("refused"), said);
    }
}
