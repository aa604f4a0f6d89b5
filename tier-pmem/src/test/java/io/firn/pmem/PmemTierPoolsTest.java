package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.StoreFullException;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.spi.Block;
import io.firn.spi.StorageTier.TierContext;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks: where they come from, who has them, and when they may be used again. */
class PmemTierPoolsTest {
    @TempDir Path directory;

    @Test
    void shouldTakeBlocksFromItsPoolsInTurn() throws IOException {
        Path first = directory.resolve("pmem1");
        Path second = directory.resolve("pmem10");
        try (PmemTier tier = Pools.open(Pools.withBlocks(2, first, second))) {
            List<Boolean> inFirst = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String name = Pools.reserve(tier, i).name();
                inFirst.add(name.startsWith(first.resolve(PoolFile.NAME).toString()));
            }
            assertEquals(List.of(true, false, true, false), inFirst);
            assertThrows(StoreFullException.class, () -> Pools.reserve(tier, 9));
        }
        try (PmemTier tier = Pools.open(Pools.withBlocks(2, first, second), false)) {
            assertEquals(4, tier.list().size());
            assertEquals(tier.capacityBytes().orElseThrow(), tier.usedBytes());
        }
    }

    @Test
    void shouldFinishTheCreationOfItsPoolsThatWasInterrupted() throws IOException {
        Path first = directory.resolve("a");
        Path second = directory.resolve("b");
        Pools.open(Pools.withBlocks(1, first, second)).close();
        Files.delete(first.resolve(PoolFile.NAME));
        Files.write(first.resolve(".pool.tmp"), new byte[100]);

        try (PmemTier tier = Pools.open(Pools.withBlocks(1, first, second))) {
            assertEquals(2L * Pools.BLOCK_BYTES, tier.capacityBytes().orElseThrow());
            assertFalse(Files.exists(first.resolve(".pool.tmp")));
        }
    }

    @Test
    void shouldUseABlockAgainOnlyWhenNobodyPinsWhatWasInIt() throws IOException {
        try (PmemTier tier = Pools.open(Pools.withBlocks(1, directory))) {
            Block segment = Pools.seal(Pools.fill(Pools.reserve(tier, 1), 100));
            segment.finishSeal(new byte[0], new byte[0]);
            View view = segment.view();
            assertTrue(view.pin());

            segment.delete();

            assertThrows(StoreFullException.class, () -> Pools.reserve(tier, 2));
            assertEquals(Pools.BLOCK_BYTES, tier.usedBytes());
            byte[] seen = new byte[100];
            view.buffer().get(0, seen);
            assertEquals(Pools.bytes(1, 100)[99], seen[99]);
            view.unpin();
            assertEquals(2, Pools.reserve(tier, 2).mark().epoch());
        }
    }

    @Test
    void shouldUseABlockAgainOnlyWhenADetachedViewIsReleased() throws IOException {
        try (PmemTier tier = Pools.open(Pools.withBlocks(1, directory))) {
            Block segment = Pools.seal(Pools.fill(Pools.reserve(tier, 1), 100));
            segment.finishSeal(new byte[0], new byte[0]);
            View view = segment.view();
            assertTrue(view.pin());
            segment.detachView();
            segment.view();
            segment.delete();
            assertThrows(StoreFullException.class, () -> Pools.reserve(tier, 2));

            view.unpin();
            assertTrue(view.tryRelease());

            Pools.reserve(tier, 2);
        }
    }

    @Test
    void shouldKeepPinnedBytesMappedAfterItWasClosed() throws IOException {
        PmemTier tier = Pools.open(Pools.withBlocks(1, directory));
        View view = Pools.fill(Pools.reserve(tier, 1), 100).view();
        assertTrue(view.pin());

        tier.close();

        assertEquals(Pools.bytes(1, 100)[5], view.buffer().get(5));
        view.unpin();
        assertTrue(view.tryRelease());
    }

    @Test
    void shouldGiveNoBlockTwiceToThreadsThatTakeAndReturnThem() throws Exception {
        int threads = 4;
        int rounds = 200;
        Set<String> held = ConcurrentHashMap.newKeySet();
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try (PmemTier tier = Pools.open(Pools.withBlocks(threads, directory))) {
            List<Future<?>> done = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int thread = t;
                done.add(
                        executor.submit(
                                () -> {
                                    for (int i = 0; i < rounds; i++) {
                                        Block taken = Pools.reserve(tier, thread);
                                        assertTrue(held.add(taken.name()), taken.name());
                                        held.remove(taken.name());
                                        taken.delete();
                                    }
                                    return null;
                                }));
            }
            for (Future<?> each : done) {
                each.get();
            }
            assertEquals(0, tier.usedBytes());
        } finally {
            executor.shutdown();
        }
        try (PmemTier tier = Pools.open(Pools.withBlocks(threads, directory), false)) {
            assertEquals(0, tier.usedBytes());
            assertEquals(List.of(), tier.list());
        }
    }

    @Test
    void shouldRememberTheEpochsOfBlocksThatAreFree() throws IOException {
        try (PmemTier tier = Pools.open(Pools.withBlocks(1, directory))) {
            assertEquals(-1, tier.highestFreeEpoch());
            Pools.reserve(tier, 41).delete();
            assertEquals(41, tier.highestFreeEpoch());
        }
        try (PmemTier tier = Pools.open(Pools.withBlocks(1, directory), false)) {
            assertEquals(41, tier.highestFreeEpoch());
        }
    }

    @Test
    void shouldGrowToALargerCapacityAndKeepWhatItHas() throws IOException {
        try (PmemTier tier = Pools.open(Pools.withBlocks(1, directory))) {
            Pools.fill(Pools.reserve(tier, 1), 100);
        }
        try (PmemTier tier = Pools.open(Pools.withBlocks(3, directory), false)) {
            assertEquals(3L * Pools.BLOCK_BYTES, tier.capacityBytes().orElseThrow());
            assertEquals(1, tier.list().size());
            Pools.reserve(tier, 2);
            Pools.fill(Pools.reserve(tier, 3), 100);
        }
        try (PmemTier tier = Pools.open(Pools.withBlocks(1, directory), false)) {
            assertEquals(3L * Pools.BLOCK_BYTES, tier.capacityBytes().orElseThrow());
            assertEquals(3, tier.list().size());
            Pools.assertAccountedFor(tier);
        }
    }

    @Test
    void shouldTakeBackAGrowthThatWasInterrupted() throws IOException {
        Pools.open(Pools.withBlocks(1, directory)).close();
        Path file = directory.resolve(PoolFile.NAME);
        Superblock pool = PoolFile.read(FileMedium.real(), file).superblock();
        long end = Pools.fileBytes(3);
        byte[] growing = pool.with(1, end).encode();
        try (MediumFile out = FileMedium.real().open(file, true)) {
            out.write(PoolFormat.superblockPosition(0), growing, 0, growing.length);
            out.setSize(end - 5000);
        }

        try (PmemTier tier = Pools.open(Pools.withBlocks(1, directory), false)) {
            assertEquals(Pools.BLOCK_BYTES, tier.capacityBytes().orElseThrow());
            assertEquals(Pools.fileBytes(1), Files.size(file));
        }
        try (PmemTier tier = Pools.open(Pools.withBlocks(3, directory), false)) {
            assertEquals(3L * Pools.BLOCK_BYTES, tier.capacityBytes().orElseThrow());
        }
    }

    @Test
    void shouldTakeItsShareOfTheCapacity() throws IOException {
        PmemTier pool =
                Pools.withBlocks(1, directory)
                        .withCapacityBytes(Pools.fileBytes(10))
                        .withPoolRatio(0.5);
        try (PmemTier tier = Pools.open(pool)) {
            long file = Files.size(directory.resolve(PoolFile.NAME));
            assertTrue(file <= Pools.fileBytes(10) / 2, "bytes " + file);
            assertTrue(file > Pools.fileBytes(10) / 2 - Pools.BLOCK_BYTES, "bytes " + file);
            assertNotEquals(0, tier.capacityBytes().orElseThrow());
        }
    }

    @Test
    void shouldKeepReadersOutOfWhatTheOwnerReuses() throws IOException {
        try (PmemTier tier = Pools.open(Pools.withBlocks(1, directory));
                PmemTier reading = Pools.openReadOnly(Pools.withBlocks(1, directory))) {
            Block old = Pools.fill(Pools.reserve(tier, 1), 100);
            Block seen = reading.list().get(0);
            old.delete();
            Pools.fill(Pools.reserve(tier, 2), 200);

            assertEquals(1, seen.refreshMark().epoch());
            assertEquals(2, reading.list().get(0).mark().epoch());
        }
    }

    @Test
    void shouldBeLockedAgainstASecondOwner() throws IOException {
        try (PmemTier tier = Pools.open(Pools.withBlocks(1, directory))) {
            PmemTier second = Pools.withBlocks(1, directory);
            TierContext context = new TierContext(Pools.STORE, true, false);
            assertThrows(io.firn.StoreLockedException.class, () -> second.open(context));
            assertEquals(0, tier.usedBytes());
        }
    }
}
