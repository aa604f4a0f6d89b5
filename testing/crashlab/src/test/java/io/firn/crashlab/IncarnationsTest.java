package io.firn.crashlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.FirstRunOnly;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The short form of bin/check crashlab for workloads of many incarnations, with other workloads
 * each day. It cuts the power before one in eleven operations, and tries few workloads; bin/check
 * crashlab cuts it before each operation of as many workloads as it is told to.
 */
@FirstRunOnly
class IncarnationsTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int ACTIONS = 40;
    private static final CrashRun.Limits LIMITS =
            new CrashRun.Limits(16, 3, 11, new CrashRun.Shares(8, 16));

    private final long seed = LocalDate.now().toEpochDay() * 1_000;

    @BeforeAll
    static void prepare() {
        LOG.setLevel(Level.OFF);
        SeededIds.install();
    }

    /** Executes workloads of one style, whatever the style of the seed is. */
    private void explore(Media media, Workload.Style style, int workloads) {
        Matrix matrix = new Matrix();
        List<String> failures = new ArrayList<>();
        for (long one = seed; one < seed + workloads && failures.isEmpty(); one++) {
            new CrashRun(
                            Workload.of(style, media, one, ACTIONS),
                            LIMITS,
                            matrix,
                            () -> false,
                            () -> {})
                    .run()
                    .forEach(each -> failures.add(style + ", seed " + each.seed() + ": " + each));
        }
        System.out.printf("%s, %s, seed %d:%n%s", media, style, seed, matrix);
        assertEquals(List.of(), failures);
        assertTrue(matrix.triesOf(Matrix.Fault.INCARNATION) >= workloads, matrix.toString());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "EADR")
    void shouldKeepEveryPromiseWhenPowerIsCutInEachOfManyIncarnations(Media media) {
        // With transactions all of a store is read after each crash.
        explore(media, Workload.Style.INCARNATIONS, media.hasTransactions() ? 1 : 3);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "EADR")
    void shouldKeepEveryPromiseWhenSegmentsWereRolledAndNeverForced(Media media) {
        explore(media, Workload.Style.UNFORCED, 1);
    }
}
