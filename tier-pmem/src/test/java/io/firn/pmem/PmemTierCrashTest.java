package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.Block;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A power cut at every flush, and again while the pool is opened after it. */
class PmemTierCrashTest {
    private static final int BLOCKS = 2;

    /** One in the machine of bin/check dax: the cuts are the same there, and take long. */
    private static final int SEEDS = PersistentMemory.isDemanded() ? 1 : 3;

    private static final int LENGTH = 5000;
    private static final byte[] INDEX = Pools.bytes(1, 800);
    private static final byte[] TIME_INDEX = Pools.bytes(2, 1200);

    @TempDir Path directory;

    private final List<Cut> cuts = new ArrayList<>();
    private LossyMemory.Lossy lossy;
    private List<String> before = List.of();
    private int opened;

    /** What a power cut left, and what was there before the step that it fell into. */
    private static final class Cut {
        final LossyMemory.Image image;
        final List<String> before;
        List<String> after;

        Cut(LossyMemory.Image image, List<String> before) {
            this.image = image;
            this.before = before;
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private PmemTier at(Path place, IntConsumer beforeForce) {
        return Pools.withBlocks(BLOCKS, place)
                .withWrappedProvider(below -> lossy = new LossyMemory.Lossy(below, beforeForce));
    }

    private void cutPower(int force) {
        for (int seed = 0; seed < SEEDS; seed++) {
            cuts.add(new Cut(lossy.memory().image(31L * force + seed), before));
        }
    }

    private void step(PmemTier tier, Step step) throws IOException {
        before = describe(tier);
        int first = cuts.size();
        step.run();
        List<String> after = describe(tier);
        for (Cut cut : cuts.subList(first, cuts.size())) {
            cut.after = after;
        }
    }

    private static List<String> describe(PmemTier tier) throws IOException {
        List<String> all = new ArrayList<>();
        for (Block segment : tier.list()) {
            all.add(
                    segment.mark()
                            + " "
                            + segment.isFinished()
                            + " "
                            + segment.name().replaceAll(".* block", ""));
        }
        return all;
    }

    /**
     * Two segments through all of their states, and a third one in a block that was used before.
     */
    private void live(PmemTier tier) throws IOException {
        Block[] segments = new Block[4];
        step(tier, () -> segments[1] = Pools.reserve(tier, 1));
        step(tier, () -> Pools.fill(segments[1], LENGTH));
        step(tier, () -> segments[2] = Pools.reserve(tier, 2));
        step(tier, () -> segments[1].writeMark(segments[1].mark().active(1, 1000, LENGTH, 6001)));
        step(tier, () -> Pools.seal(segments[1]));
        step(tier, () -> segments[1].finishSeal(INDEX, TIME_INDEX));
        step(tier, () -> Pools.fill(segments[2], LENGTH));
        step(tier, () -> segments[2].rewriteMark(segments[2].mark().active(5, 1000, 100, 1100)));
        step(tier, () -> segments[1].delete());
        step(tier, () -> segments[3] = Pools.reserve(tier, 6));
        step(tier, () -> Pools.fill(segments[3], LENGTH));
        step(tier, () -> segments[2].delete());
    }

    @Test
    void shouldKeepEachBlockInOneStateWhereverThePowerIsCut() throws IOException {
        try (PmemTier tier = Pools.open(at(directory.resolve("first"), this::cutPower))) {
            cuts.clear();
            live(tier);
        }
        assertTrue(cuts.size() > 20 * SEEDS, cuts.size() + " power cuts");

        for (Cut cut : cuts) {
            checkReopened(cut.image, cut);
        }
    }

    private void checkReopened(LossyMemory.Image image, Cut cut) throws IOException {
        Path place = directory.resolve("again" + opened++);
        image.writeTo(place);
        List<LossyMemory.Image> cutAgain = new ArrayList<>();
        boolean[] opening = {true};
        IntConsumer again =
                n -> {
                    if (opening[0]) {
                        cutAgain.add(lossy.memory().image(n));
                    }
                };
        List<String> found;
        try (PmemTier tier = Pools.open(at(place, again), false)) {
            opening[0] = false;
            found = describe(tier);
            assertTrue(
                    isBetween(found, cut),
                    found + " is neither " + cut.before + " nor " + cut.after);
            check(tier);
        }
        Pools.discard(place.resolve(PoolFile.NAME));
        for (LossyMemory.Image twice : cutAgain) {
            Path second = directory.resolve("twice" + opened++);
            twice.writeTo(second);
            try (PmemTier tier = Pools.open(at(second, n -> {}), false)) {
                assertEquals(found, describe(tier), "after a power cut in the middle of opening");
                check(tier);
            }
            Pools.discard(second.resolve(PoolFile.NAME));
        }
    }

    private static boolean isBetween(List<String> found, Cut cut) {
        return found.equals(cut.before) || found.equals(cut.after);
    }

    private static void check(PmemTier tier) throws IOException {
        Pools.assertAccountedFor(tier);
        for (Block segment : tier.list()) {
            byte[] read = new byte[segment.mark().position()];
            segment.read(0, read, 0, read.length);
            long epoch = segment.mark().epoch() == 5 ? 2 : segment.mark().epoch();
            assertArrayEquals(Pools.bytes(epoch, read.length), read, segment.toString());
            if (segment.isFinished()) {
                assertArrayEquals(INDEX, segment.readSidecar(Sidecar.INDEX));
                assertArrayEquals(TIME_INDEX, segment.readSidecar(Sidecar.TIMEINDEX));
            }
        }
        while (tier.usedBytes() < tier.capacityBytes().orElseThrow()) {
            Pools.reserve(tier, 100 + tier.usedBytes());
        }
        Pools.assertAccountedFor(tier);
    }

    /**
     * A killed process may leave a mark that only a cache knows: unless the table is forced at open
     * ({@code BlockTable.settle}), a power cut takes back what was shown.
     */
    @Test
    void shouldNotTakeBackAMarkThatWasShownAfterAKill() throws IOException {
        Path pool = Path.of("/sim/pmem");
        SimulatedFileMedium medium = new SimulatedFileMedium();
        medium.usePersistentMemory(path -> path.startsWith(pool) && !path.endsWith("lock"), false);
        SimulatedFileMedium[] killed = {null};
        try (PmemTier tier = SimulatedPmem.tier(medium, pool, BLOCKS)) {
            tier.open(new TierContext(Pools.STORE, true, false));
            Block segment = Pools.fill(Pools.reserve(tier, 1), LENGTH);
            medium.onOperation(number -> killed[0] = killed[0] == null ? medium.kill() : killed[0]);
            segment.writeMark(segment.mark().active(1, 1000, LENGTH, 9999));
            medium.ignoreOperations();
        }
        assertEquals(9999, markIn(killed[0], pool));
        assertEquals(9999, markIn(killed[0].crash(Survival.NONE), pool));
    }

    private static long markIn(SimulatedFileMedium medium, Path pool) throws IOException {
        PmemTier tier = SimulatedPmem.tier(medium, pool, BLOCKS);
        tier.open(new TierContext(Pools.STORE, false, false));
        return tier.list().get(0).mark().offset(); // not closed: the process dies
    }

    @Test
    void shouldNoticeAMissingFlush() throws IOException {
        List<String> there;
        List<LossyMemory.Image> images = new ArrayList<>();
        try (PmemTier tier = Pools.open(at(directory.resolve("first"), n -> {}))) {
            Block segment = Pools.fill(Pools.reserve(tier, 1), LENGTH);
            lossy.memory().forgetForces();
            Pools.seal(segment);
            there = describe(tier);
            for (int seed = 0; seed < 16; seed++) {
                images.add(lossy.memory().image(seed));
            }
        }
        int lost = 0;
        for (LossyMemory.Image image : images) {
            Path place = directory.resolve("again" + opened++);
            image.writeTo(place);
            try (PmemTier tier = Pools.open(at(place, n -> {}), false)) {
                lost += describe(tier).equals(there) ? 0 : 1;
            }
        }
        assertTrue(lost > 0, "power cuts that cost a seal that was never forced");
    }

    @Test
    void shouldUseTheOtherSlotWhenOneIsTornAndWriteItAgain() throws IOException {
        Path place = directory.resolve("first");
        List<String> sealed;
        try (PmemTier tier = Pools.open(at(place, n -> {}))) {
            Pools.seal(Pools.fill(Pools.reserve(tier, 1), LENGTH));
            sealed = describe(tier);
        }
        for (int slot : new int[] {0, 1, 0}) {
            // One after the other: each was restored from its twin before the twin is torn.
            PoolDamage.overwrite(place, PoolDamage.slot(0, slot), 64);
            try (PmemTier tier = Pools.open(at(place, n -> {}), false)) {
                assertEquals(sealed, describe(tier), "slot " + slot + " torn");
            }
        }
    }

    @Test
    void shouldLoseAtMostTheLastMarkWhenTheNewestSlotIsTorn() throws IOException {
        Path place = directory.resolve("first");
        try (PmemTier tier = Pools.open(at(place, n -> {}))) {
            Block segment = Pools.fill(Pools.reserve(tier, 1), LENGTH);
            segment.writeMark(segment.mark().active(1, 1000, LENGTH, 9999));
        }
        PoolDamage.overwrite(place, PoolDamage.slot(0, 0), 64);
        try (PmemTier tier = Pools.open(at(place, n -> {}), false)) {
            long offset = tier.list().get(0).mark().offset();
            assertTrue(offset == 6000 || offset == 9999, "offset " + offset);
            Pools.assertAccountedFor(tier);
        }
    }
}
