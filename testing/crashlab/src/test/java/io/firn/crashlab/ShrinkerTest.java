package io.firn.crashlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.crashlab.CrashRun.Failure;
import io.firn.crashlab.CrashRun.Limits;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** On a medium that ignores some forces a long workload fails, and so does its shrunk form. */
@FirstRunOnly
class ShrinkerTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final long MOST_SEEDS = 20;
    private static final int ACTIONS = 40;

    @BeforeAll
    static void prepare() {
        LOG.setLevel(Level.OFF);
        assertTrue(SeededIds.install(), "ids were made before, so that no run can be repeated");
    }

    private static Supplier<SimulatedFileMedium> lyingAbout(Predicate<String> forces) {
        return () -> {
            SimulatedFileMedium medium = Media.FILES.empty();
            medium.faults().ignoreForces(forces);
            return medium;
        };
    }

    private static List<Failure> crash(
            Workload workload, Limits limits, Supplier<SimulatedFileMedium> medium) {
        return new CrashRun(workload, limits, new Matrix(), () -> false, () -> {}).on(medium).run();
    }

    /** Returns the first workload that notices the lie; not every one does. */
    private static Workload failing(Supplier<SimulatedFileMedium> medium) {
        for (long seed = 1; seed <= MOST_SEEDS; seed++) {
            Workload all = Workload.of(Workload.Style.PLAIN, Media.FILES, seed, ACTIONS);
            if (!crash(all, Limits.FEW, medium).isEmpty()) {
                return all;
            }
        }
        throw new AssertionError("no workload notices the lie");
    }

    /** Returns the actions that are left. */
    private static List<Action> shrink(Predicate<String> forces) {
        Supplier<SimulatedFileMedium> medium = lyingAbout(forces);
        Workload all = failing(medium);
        Shrinker.Result small =
                new Shrinker(all, CrashRun.Shares.DEFAULT, medium)
                        .shrink(Shrinker.everything(ACTIONS));
        Workload left = all.keep(small.kept());
        assertTrue(left.actions().size() <= 3, left.toString());
        // Step and image reproduce the failure; without the lie there is none.
        Failure failure = small.failure().orElseThrow();
        List<Failure> again =
                new CrashRun(
                                left,
                                Limits.all(CrashRun.Shares.DEFAULT),
                                new Matrix(),
                                () -> false,
                                () -> {})
                        .on(medium)
                        .only(failure.step(), failure.image())
                        .run();
        assertEquals(1, again.size());
        assertEquals(failure.toString(), again.get(0).toString());
        assertEquals(List.of(), crash(left, Limits.FEW, Media.FILES::empty));
        return left.actions();
    }

    @Test
    void shouldFindThatAnAppendIsEnoughWhenItsForceIsALie() {
        List<Action> left =
                shrink(force -> force.startsWith("force [") && force.endsWith(".active"));
        assertEquals(Action.Kind.CREATE, left.get(0).kind());
        assertTrue(left.get(1).kind().name().startsWith("APPEND"), left.toString());
    }

    @Test
    void shouldFindThatACursorIsEnoughWhenItsForceIsALie() {
        List<Action> left = shrink(force -> force.contains("cursor-"));
        assertEquals(Action.Kind.CURSOR, left.get(left.size() - 1).kind());
    }
}
