package io.firn.crashlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.crashlab.Explorer.Failure;
import io.firn.crashlab.Explorer.Limits;
import io.firn.sim.SimulatedFileMedium;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** On a medium that lies about some forces, a long workload fails; a short one is enough. */
class ShrinkerTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final long MOST_SEEDS = 20;
    private static final int ACTIONS = 40;

    @BeforeAll
    static void prepare() {
        LOG.setLevel(Level.OFF);
        SeededIds.install();
    }

    private static Supplier<SimulatedFileMedium> lyingAbout(Predicate<String> forces) {
        return () -> {
            SimulatedFileMedium medium = Media.FILES.empty();
            medium.faults().ignoreForces(forces);
            return medium;
        };
    }

    private static List<Failure> explore(
            long seed, List<Action> actions, Limits limits, Supplier<SimulatedFileMedium> medium) {
        return new Explorer(Media.FILES, seed, actions, limits, new Matrix(), () -> false, () -> {})
                .on(medium)
                .explore();
    }

    /** Not each workload comes across the lie. */
    private static long failing(Supplier<SimulatedFileMedium> medium) {
        for (long seed = 1; seed <= MOST_SEEDS; seed++) {
            List<Action> all = Action.workload(Media.FILES, seed, ACTIONS);
            if (!explore(seed, all, Limits.FEW, medium).isEmpty()) {
                return seed;
            }
        }
        throw new AssertionError("nobody notices the lie");
    }

    /** Returns what is left. */
    private static List<Action> shrink(Predicate<String> forces) {
        Supplier<SimulatedFileMedium> medium = lyingAbout(forces);
        long seed = failing(medium);
        List<Action> all = Action.workload(Media.FILES, seed, ACTIONS);
        Shrinker.Small small =
                new Shrinker(Media.FILES, seed, all, 4, medium)
                        .shrink(Shrinker.everything(ACTIONS));
        List<Action> left = Action.pick(all, small.kept());
        assertTrue(left.size() <= 3, left.toString());
        // Step and image bring it back, and without the lie nothing is wrong with it.
        Failure failure = small.failure().orElseThrow();
        List<Failure> again =
                new Explorer(
                                Media.FILES,
                                seed,
                                left,
                                Limits.all(4),
                                new Matrix(),
                                () -> false,
                                () -> {})
                        .on(medium)
                        .only(failure.step(), failure.image())
                        .explore();
        assertEquals(1, again.size());
        assertEquals(failure.toString(), again.get(0).toString());
        assertEquals(List.of(), explore(seed, left, Limits.FEW, Media.FILES::empty));
        return left;
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
