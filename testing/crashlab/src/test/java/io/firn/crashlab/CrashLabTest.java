package io.firn.crashlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.SecondRun;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The short form of bin/check crashlab, with other workloads each day. The second run has others
 * than the first, and fewer. {@link IncarnationsTest} has workloads of many incarnations.
 */
class CrashLabTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int ACTIONS = 40;

    private final long seed = LocalDate.now().toEpochDay() * 1_000 + (SecondRun.isThis() ? 500 : 0);

    @BeforeAll
    static void prepare() {
        LOG.setLevel(Level.OFF);
        SeededIds.install();
    }

    /** Checks a number of images, over as many workloads as it takes. */
    private void explore(Media media, int imagesOfFirstRun) {
        int images = SecondRun.share(imagesOfFirstRun, 10);
        Matrix matrix = new Matrix();
        List<String> failures = new ArrayList<>();
        int[] looked = {0};
        for (long one = seed; looked[0] < images && failures.isEmpty(); one++) {
            new CrashRun(
                            Workload.of(media, one, ACTIONS),
                            new CrashRun.Limits(64, 4, 3, CrashRun.Shares.DEFAULT),
                            matrix,
                            () -> looked[0] >= images,
                            () -> looked[0]++)
                    .run()
                    .forEach(
                            each ->
                                    failures.add(
                                            each
                                                    + "\n"
                                                    + each.reproduction(
                                                            ACTIONS, CrashRun.Shares.DEFAULT)));
        }
        System.out.printf("%s, seed %d:%n%s", media, seed, matrix);
        assertEquals(List.of(), failures);
        assertTrue(matrix.distinct() >= images, matrix.distinct() + " distinct images");
    }

    @Test
    void shouldKeepEveryPromiseWhenPowerIsCutOnMemory() {
        explore(Media.MEMORY, 2_000);
    }

    @Test
    void shouldKeepEveryPromiseWhenPowerIsCutOnMemoryWithEadr() {
        explore(Media.EADR, 300);
    }

    @Test
    void shouldKeepEveryPromiseWhenPowerIsCutOnFiles() {
        explore(Media.FILES, 1_000);
    }

    @Test
    void shouldKeepEveryPromiseWhenPowerIsCutOnMemoryAndFiles() {
        explore(Media.BOTH, 1_000);
    }

    @Test
    void shouldKeepEveryPromiseWhenPowerIsCutWhileSegmentsMove() {
        explore(Media.MOVES, 1_000);
    }

    @Test
    void shouldKeepEveryPromiseWhenPowerIsCutWhileTopicsAreCompacted() {
        explore(Media.COMPACT, 600);
    }

    private static Workload plain(long seed) {
        return Workload.of(Workload.Style.PLAIN, Media.MOVES, seed, ACTIONS);
    }

    /** Otherwise the test above would test nothing. */
    @Test
    void shouldRemoveRecordsInMostWorkloadsWithCompaction() {
        int compacted = 0;
        for (long one = seed; one < seed + 10; one++) {
            SeededIds.seed(one);
            Workload workload = Workload.of(Workload.Style.PLAIN, Media.COMPACT, one, ACTIONS);
            WorkloadRun run = new WorkloadRun(workload, Media.COMPACT.empty(), false);
            run.run();
            compacted += run.compactions() > 0 ? 1 : 0;
        }
        assertTrue(compacted >= 4, compacted + " of 10 workloads removed something");
    }

    /** Otherwise the tests of files would not test recycled ones. */
    @Test
    void shouldRecycleFilesInMostWorkloads() {
        for (Media media : List.of(Media.FILES, Media.MOVES)) {
            int recycled = 0;
            for (long one = seed; one < seed + 10; one++) {
                SeededIds.seed(one);
                Workload workload = Workload.of(Workload.Style.PLAIN, media, one, ACTIONS);
                WorkloadRun run = new WorkloadRun(workload, media.empty(), false);
                run.run();
                recycled +=
                        run.store.machine.medium().history().stream()
                                        .anyMatch(each -> each.endsWith(".spare"))
                                ? 1
                                : 0;
            }
            assertTrue(recycled >= 3, recycled + " of 10 workloads on " + media + " recycled");
        }
    }

    /** Otherwise the test above would test nothing. */
    @Test
    void shouldMoveSegmentsInMostWorkloads() {
        int withMoves = 0;
        for (long one = seed; one < seed + 20; one++) {
            SeededIds.seed(one);
            WorkloadRun run = new WorkloadRun(plain(one), Media.MOVES.empty(), false);
            run.run();
            withMoves += run.moves() > 0 ? 1 : 0;
        }
        assertTrue(withMoves >= 8, withMoves + " of 20 workloads moved something");
    }

    /** Otherwise the test of moves would not test drains. */
    @Test
    void shouldDrainTiersInSomeWorkloads() {
        int drained = 0;
        for (long one = seed; one < seed + 20; one++) {
            SeededIds.seed(one);
            WorkloadRun run = new WorkloadRun(plain(one), Media.MOVES.empty(), false);
            run.run();
            drained += run.drains() > 0 ? 1 : 0;
        }
        assertTrue(drained >= 4, drained + " of 20 workloads drained a tier");
    }

    /** Otherwise the tests with moves would not test concurrency. */
    @Test
    void shouldExecuteActionsDuringMovesInSomeWorkloads() {
        int concurrent = 0;
        for (long one = seed; one < seed + 20; one++) {
            SeededIds.seed(one);
            WorkloadRun run = new WorkloadRun(plain(one), Media.MOVES.empty(), false);
            run.store.machine.observe(number -> {});
            run.run();
            concurrent += run.actionsDuringMoves();
        }
        assertTrue(concurrent >= 10, concurrent + " actions during moves in 20 workloads");
    }
}
