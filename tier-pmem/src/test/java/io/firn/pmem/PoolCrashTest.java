package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.Block;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A power cut at every operation by which a pool is made or grows. */
@Tag("simulated")
@FirstRunOnly
class PoolCrashTest {
    private static final Path DIRECTORY = Path.of("/sim/pmem");
    private static final int RANDOM = 6;

    /** More cache lines than a superblock has; they are before those of the table. */
    private static final int LINES = 12;

    private int left;
    private int grown;

    /** What must hold for a medium that somebody finds. */
    private interface Check {
        void check(SimulatedFileMedium medium) throws IOException;
    }

    private static SimulatedFileMedium newMedium() {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        medium.usePersistentMemory(path -> path.endsWith("pool") || isUnfinished(path), false);
        return medium;
    }

    private static boolean isUnfinished(Path path) {
        return path.getFileName().toString().startsWith(".");
    }

    private static PmemTier open(SimulatedFileMedium medium, int blocks, boolean create)
            throws IOException {
        PmemTier tier = SimulatedPmem.tier(medium, DIRECTORY, blocks);
        tier.open(new TierContext(Pools.STORE, create, false));
        return tier;
    }

    /** Each medium is checked at once: all of them together take more than some heaps have. */
    private void checkIt(SimulatedFileMedium medium, Check check) {
        left++;
        try {
            check.check(medium);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void cutPowerAtEachOperation(SimulatedFileMedium medium, Check check) {
        medium.onOperation(
                number -> {
                    List<Survival> survivals =
                            new ArrayList<>(
                                    List.of(
                                            Survival.NONE,
                                            Survival.ALL,
                                            Survival.NAMES,
                                            Survival.BYTES));
                    for (int seed = 0; seed < RANDOM; seed++) {
                        survivals.add(Survival.random(number * RANDOM + seed));
                        survivals.add(Survival.shredded(number * RANDOM + seed));
                    }
                    for (int lines = 1; lines <= LINES; lines++) {
                        int survivors = lines;
                        survivals.add(Survival.pages(line -> line < survivors));
                    }
                    survivals.forEach(each -> checkIt(medium.crash(each), check));
                });
    }

    /** Without the forces before and after the rename in {@code PoolFile.create}. */
    @Test
    void shouldFindAPoolOrNoneWhereverThePowerIsCutWhileItIsMade() throws IOException {
        SimulatedFileMedium medium = newMedium();
        cutPowerAtEachOperation(
                medium,
                each -> {
                    try (PmemTier tier = open(each, 2, true)) {
                        assertTrue(tier.list().isEmpty());
                        assertEquals(2L * Pools.BLOCK_BYTES, tier.capacityBytes().orElseThrow());
                        Pools.fill(Pools.reserve(tier, 1), 100);
                        Pools.reserve(tier, 2);
                    }
                });
        open(medium, 2, true);
        medium.ignoreOperations();
        assertTrue(left > 0);
        // Once it is open it stays.
        for (Survival each : List.of(Survival.NONE, Survival.ALL)) {
            open(medium.crash(each), 2, false).close();
        }
    }

    /** Without the force of the directory in {@code PoolOpener.openWritable} (O1). */
    @Test
    void shouldKeepAPoolOfWhichAKilledProcessHadNotForcedTheName() throws IOException {
        SimulatedFileMedium medium = newMedium();
        medium.onOperation(number -> checkIt(medium.kill(), PoolCrashTest::checkPoolOfTheKilled));
        open(medium, 2, true);
        medium.ignoreOperations();
        assertTrue(left > 0);
    }

    private static void checkPoolOfTheKilled(SimulatedFileMedium medium) throws IOException {
        Pools.fill(Pools.reserve(open(medium, 2, true), 1), 100);
        try (PmemTier tier = open(medium.crash(Survival.NONE), 2, false)) {
            assertEquals(1, tier.list().size());
        }
    }

    /** Without the order of {@code PoolFile.grow} and {@code writeSuperblocks}. */
    @Test
    void shouldFindAllBlocksOrTheOldOnesWhereverThePowerIsCutWhileAPoolGrows() throws IOException {
        SimulatedFileMedium medium = newMedium();
        String segments;
        try (PmemTier tier = open(medium, 2, true)) {
            Pools.seal(Pools.fill(Pools.reserve(tier, 1), 5_000));
            segments = tier.list().toString();
        }
        cutPowerAtEachOperation(medium, each -> checkGrowing(each, segments));
        open(medium, 4, false);
        medium.ignoreOperations();
        assertTrue(grown > 0 && grown < left);
    }

    private void checkGrowing(SimulatedFileMedium medium, String segments) throws IOException {
        try (PmemTier tier = open(medium, 2, false)) {
            long blocks = tier.capacityBytes().orElseThrow() / Pools.BLOCK_BYTES;
            assertTrue(blocks == 2 || blocks == 4, blocks + " blocks");
            grown += blocks == 4 ? 1 : 0;
            check(tier, segments);
        }
        try (PmemTier tier = open(medium.crash(Survival.NONE), 4, false)) {
            check(tier, segments);
            for (int epoch = 2; epoch <= 4; epoch++) {
                Pools.fill(Pools.reserve(tier, epoch), 100);
            }
            Pools.assertAccountedFor(tier);
        }
    }

    private static void check(PmemTier tier, String segments) throws IOException {
        assertEquals(segments, tier.list().toString());
        Block segment = tier.list().get(0);
        byte[] read = new byte[5_000];
        segment.read(0, read, 0, read.length);
        assertArrayEquals(Pools.bytes(1, read.length), read);
    }
}
