package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.spi.Block;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A power cut at every flush while a segment is rewritten, and while only its mark is: each block
 * is in the state before the step or after it, with all of its bytes.
 */
class RewrittenBlockCrashTest {
    private static final int BLOCKS = 3;

    /** One in the machine of bin/check dax: the cuts are the same there, and take long. */
    private static final int SEEDS = PersistentMemory.isDemanded() ? 1 : 3;

    private static final int LENGTH = 5000;
    private static final int REWRITTEN_LENGTH = 3000;
    private static final byte[] INDEX = Pools.bytes(1, 800);
    private static final byte[] TIME_INDEX = Pools.bytes(2, 1200);

    @TempDir Path directory;

    private final List<Cut> cuts = new ArrayList<>();
    private LossyMemory.Lossy lossy;
    private int opened;
    private List<String> before = List.of();

    /** What a power cut left, and what was there before and after the step that it fell into. */
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

    /** Without whether it is finished: recovery finishes what is sealed. */
    private static List<String> describe(PmemTier tier) throws IOException {
        List<String> all = new ArrayList<>();
        for (Block segment : tier.list()) {
            all.add(segment.mark() + segment.name().replaceAll(".* block", ""));
        }
        return all;
    }

    private static Mark next(Block segment, int length, int generation) {
        return segment.mark()
                .sealed(1, 1000, length, 6000, 77)
                .inGeneration(generation, 1000 + generation);
    }

    private void live(PmemTier tier) throws IOException {
        Block source = Pools.seal(Pools.fill(Pools.reserve(tier, 1), LENGTH));
        source.finishSeal(INDEX, TIME_INDEX);
        cuts.clear();
        Block[] made = new Block[1];
        BlockCopy[] copy = new BlockCopy[1];
        step(tier, () -> copy[0] = tier.beginCopy(next(source, LENGTH, 1), 2));
        step(
                tier,
                () -> {
                    copy[0].write(0, Pools.bytes(1, LENGTH), 0, REWRITTEN_LENGTH);
                    copy[0].force();
                });
        step(
                tier,
                () -> {
                    Mark mark = next(source, REWRITTEN_LENGTH, 1);
                    made[0] = copy[0].publish(mark, INDEX, TIME_INDEX);
                });
        step(tier, () -> source.rewriteMark(next(source, LENGTH, 4)));
        step(tier, () -> source.rewriteMark(next(source, LENGTH, 5)));
        step(tier, () -> source.rewriteSidecar(Sidecar.INDEX, INDEX));
        step(tier, source::delete);
        step(tier, made[0]::delete);
    }

    @Test
    void shouldKeepEachBlockInOneStateWhereverThePowerIsCut() throws IOException {
        try (PmemTier tier = Pools.open(at(directory.resolve("first"), this::cutPower))) {
            live(tier);
        }
        assertTrue(cuts.size() >= 12 * SEEDS, cuts.size() + " power cuts");
        for (Cut cut : cuts) {
            Path place = directory.resolve("again" + opened++);
            cut.image.writeTo(place);
            LossyMemory.Image later;
            List<String> found;
            try (PmemTier tier = Pools.open(at(place, n -> {}), false)) {
                found = describe(tier);
                assertTrue(
                        found.equals(cut.before) || found.equals(cut.after),
                        found + " is neither " + cut.before + " nor " + cut.after);
                check(tier);
                later = lossy.memory().image(0);
            }
            Pools.discard(place.resolve(PoolFile.NAME));
            Path second = directory.resolve("later" + opened);
            later.writeTo(second);
            try (PmemTier tier = Pools.open(at(second, n -> {}), false)) {
                assertEquals(found, describe(tier), "after a power cut after the opening");
            }
            Pools.discard(second.resolve(PoolFile.NAME));
        }
    }

    private static void check(PmemTier tier) throws IOException {
        Pools.assertAccountedFor(tier);
        for (Block segment : tier.list()) {
            Mark mark = segment.mark();
            byte[] read = new byte[mark.position()];
            assertEquals(read.length, segment.read(0, read, 0, read.length));
            byte[] all = Pools.bytes(1, LENGTH);
            assertArrayEquals(Arrays.copyOf(all, read.length), read, mark.toString());
            checkSidecar(segment, Sidecar.INDEX, INDEX);
            checkSidecar(segment, Sidecar.TIMEINDEX, TIME_INDEX);
        }
    }

    /** It is right or not there, and where nothing touches it any more it is there. */
    private static void checkSidecar(Block segment, Sidecar kind, byte[] expected)
            throws IOException {
        byte[] found = segment.readSidecar(kind);
        if (found != null || (segment.isFinished() && segment.mark().generation() == 1)) {
            assertArrayEquals(expected, found, kind + " of " + segment);
        }
    }
}
