package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.Block;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Creation and growth of pools: crashed at every operation, failed at every operation. */
@Tag("simulated")
@FirstRunOnly
class PoolCreationTest {
    private static final Path DIRECTORY = Path.of("/sim/pmem");
    private static final Path FILE = DIRECTORY.resolve(PoolFile.NAME);
    private static final int LENGTH = 3000;
    private static final List<Survival> SURVIVALS =
            List.of(
                    Survival.NONE,
                    Survival.ALL,
                    Survival.NAMES,
                    Survival.BYTES,
                    Survival.random(1),
                    Survival.shredded(2));

    /** A step in the life of a pool. */
    @FunctionalInterface
    private interface Step {
        void run(SimulatedFileMedium medium) throws IOException;
    }

    private static PmemTier open(SimulatedFileMedium medium, int blocks, boolean create)
            throws IOException {
        PmemTier tier =
                Pools.withBlocks(blocks, DIRECTORY)
                        .withMedium(medium)
                        .withEmulation(Emulation.FORCED)
                        .withProvider(Provider.AUTO)
                        .withWrappedProvider(UnaryOperator.identity());
        tier.open(new TierContext(Pools.STORE, create, false));
        return tier;
    }

    private static void create(SimulatedFileMedium medium) throws IOException {
        open(medium, 1, true).close();
    }

    private static void createWithASegment(SimulatedFileMedium medium) throws IOException {
        try (PmemTier tier = open(medium, 1, true)) {
            Pools.fill(Pools.reserve(tier, 1), LENGTH);
        }
    }

    private static void grow(SimulatedFileMedium medium) throws IOException {
        open(medium, 2, false).close();
    }

    /**
     * Checks what a power cut leaves, before each operation of a step and after the last; at once,
     * since a pool is too large to keep them all. Returns the number of power cuts.
     */
    private static int crash(SimulatedFileMedium medium, Step step, Step check) throws IOException {
        int[] cuts = {0};
        medium.onOperation(number -> cuts[0] += checkCuts(medium, check));
        step.run(medium);
        medium.onOperation(number -> {});
        return cuts[0] + checkCuts(medium, check);
    }

    private static int checkCuts(SimulatedFileMedium medium, Step check) {
        String last =
                medium.history().isEmpty() ? "" : medium.history().get(medium.operations() - 1);
        for (Survival survival : SURVIVALS) {
            try {
                check.run(medium.crash(survival));
            } catch (IOException | RuntimeException | AssertionError e) {
                throw new AssertionError("cut at '" + last + "', " + survival, e);
            }
        }
        return SURVIVALS.size();
    }

    private static void assertHoldsTheSegment(PmemTier tier) throws IOException {
        Block segment = tier.list().get(0);
        byte[] read = new byte[LENGTH];
        segment.read(0, read, 0, LENGTH);
        assertArrayEquals(Pools.bytes(1, LENGTH), read);
        Pools.assertAccountedFor(tier);
    }

    @Test
    void shouldBeThereWholeOrNotAtAllWhereverItsCreationIsCut() throws IOException {
        int[] there = {0};
        int cuts =
                crash(
                        new SimulatedFileMedium(),
                        PoolCreationTest::create,
                        left -> {
                            there[0] += left.exists(FILE) ? 1 : 0;
                            createWithASegment(left);
                            assertEquals(List.of("lock", "pool"), left.list(DIRECTORY));
                            try (PmemTier tier = open(left, 1, false)) {
                                assertHoldsTheSegment(tier);
                            }
                        });
        assertTrue(there[0] >= SURVIVALS.size() && there[0] < cuts, there[0] + " of " + cuts);
    }

    @Test
    void shouldKeepWhatItHadWhereverItsGrowthIsCut() throws IOException {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        createWithASegment(medium);
        int[] grown = {0};
        int cuts =
                crash(
                        medium.kill(), // by the next process, which has nothing mapped yet
                        PoolCreationTest::grow,
                        left -> {
                            try (PmemTier tier = open(left.kill(), 1, false)) {
                                assertHoldsTheSegment(tier);
                                long blocks =
                                        tier.capacityBytes().orElseThrow() / Pools.BLOCK_BYTES;
                                assertTrue(blocks == 1 || blocks == 2, blocks + " blocks");
                                grown[0] += blocks == 2 ? 1 : 0;
                            }
                            try (PmemTier tier = open(left, 2, false)) {
                                assertHoldsTheSegment(tier);
                                assertEquals(
                                        2L * Pools.BLOCK_BYTES, tier.capacityBytes().orElseThrow());
                                Pools.fill(Pools.reserve(tier, 2), LENGTH);
                                Pools.assertAccountedFor(tier);
                            }
                        });
        assertTrue(grown[0] >= SURVIVALS.size() && grown[0] < cuts, grown[0] + " of " + cuts);
    }

    @Test
    void shouldOpenAfterAnyOperationOfItsCreationFailed() throws IOException {
        SimulatedFileMedium counting = new SimulatedFileMedium();
        create(counting);
        for (int failing = 1; failing <= counting.operations(); failing++) {
            SimulatedFileMedium medium = new SimulatedFileMedium();
            int number = failing;
            medium.faults().failOperations(n -> n == number);
            assertThrows(
                    IOException.class, () -> create(medium), counting.history().get(number - 1));
            assertEquals(
                    0, medium.inUse(), "left open after " + counting.history().get(number - 1));
            medium.faults().none();
            createWithASegment(medium);
            try (PmemTier tier = open(medium, 1, false)) {
                assertHoldsTheSegment(tier);
            }
        }
    }

    @Test
    void shouldOpenAfterAnyOperationOfItsGrowthFailed() throws IOException {
        SimulatedFileMedium original = new SimulatedFileMedium();
        createWithASegment(original);
        SimulatedFileMedium counting = original.kill();
        grow(counting);
        for (int failing = 1; failing <= counting.operations(); failing++) {
            SimulatedFileMedium medium = original.kill();
            int number = failing;
            medium.faults().failOperations(n -> n == number);
            assertThrows(IOException.class, () -> grow(medium), counting.history().get(number - 1));
            assertEquals(
                    0, medium.inUse(), "left open after " + counting.history().get(number - 1));
            medium.faults().none();
            try (PmemTier tier = open(medium, 1, false)) {
                assertHoldsTheSegment(tier);
            }
        }
    }

    @Test
    void shouldLeaveNothingBehindWhenTheFileSystemFillsUpWhileItIsCreated() throws IOException {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        int[] writes = {0};
        medium.onOperation(
                number -> {
                    // Somebody else took the room that was there at first.
                    if (medium.history().get(number - 1).startsWith("write") && writes[0]++ == 3) {
                        medium.faults().limitBytes(1 << 20);
                    }
                });

        IOException refused = assertThrows(IOException.class, () -> create(medium));

        assertTrue(refused.getMessage().contains("No space left"), refused.getMessage());
        assertTrue(refused.getMessage().contains(FILE.toString()), refused.getMessage());
        assertEquals(List.of("lock"), medium.list(DIRECTORY));
        medium.onOperation(number -> {});
        medium.faults().none();
        createWithASegment(medium);
    }

    @Test
    void shouldKeepItsSizeWhenTheFileSystemFillsUpWhileItGrows() throws IOException {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        createWithASegment(medium);
        medium.onOperation(number -> medium.faults().limitBytes(Pools.fileBytes(1) + (1 << 20)));

        assertThrows(IOException.class, () -> grow(medium));

        medium.onOperation(number -> {});
        try (PmemTier tier = open(medium, 1, false)) {
            assertHoldsTheSegment(tier);
            assertEquals(Pools.BLOCK_BYTES, tier.capacityBytes().orElseThrow());
        }
    }

    @Test
    void shouldRefuseAndMakeNothingWhenItsMountPointIsGone() throws IOException {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        medium.createDirectories(DIRECTORY.getParent());

        IOException refused = assertThrows(IOException.class, () -> open(medium, 1, false));

        assertTrue(refused.getMessage().contains("mounted"), refused.getMessage());
        assertFalse(medium.exists(DIRECTORY));
    }
}
