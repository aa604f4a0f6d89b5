package io.firn.crashlab;

import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/**
 * The machine that a store runs on. Its power can be cut before an operation of its medium; the
 * next incarnation of the store then begins with what the medium holds. The power cut hits the
 * whole medium (memory, files, and the store's own directory) at one instant. Operations are
 * numbered through all incarnations.
 */
final class Machine {
    private static final int MOST_OPERATIONS = 60;
    private static final Runnable NOTHING = () -> {};

    private SimulatedFileMedium medium;
    private int earlierOperations;
    private IntConsumer observer;
    private Runnable beforeOperations = NOTHING;
    private SplittableRandom random;
    private int cutBefore;
    private SimulatedFileMedium left;
    private int cuts;

    Machine(SimulatedFileMedium medium) {
        this.medium = medium;
    }

    SimulatedFileMedium medium() {
        return medium;
    }

    /**
     * Registers an observer that is called before each operation with its number. Without an
     * observer the power is never cut.
     */
    void observe(IntConsumer each) {
        observer = each;
        medium.onOperation(this::begin);
    }

    /**
     * Runs an action before each operation, as another thread of the program could; null for none.
     */
    void beforeOperations(Runnable action) {
        beforeOperations = action == null ? NOTHING : action;
    }

    /** Returns the number of operations of all incarnations. */
    int operations() {
        return earlierOperations + medium.operations();
    }

    /** Describes the operation before a numbered one; empty if it was in an earlier incarnation. */
    String before(int number) {
        int here = number - earlierOperations;
        return here <= 0 ? "" : medium.history().get(here - 1);
    }

    /** Returns how often the power was cut. */
    int cuts() {
        return cuts;
    }

    /** Cuts the power some operations later, or at once if a cut was already requested. */
    void cutSoon(long seed) {
        if (observer == null) {
            return;
        }
        boolean atOnce = cutBefore > 0;
        random = new SplittableRandom(seed);
        cutBefore = medium.operations() + 1 + random.nextInt(MOST_OPERATIONS);
        if (atOnce) {
            cut();
        }
    }

    boolean isCut() {
        return left != null;
    }

    private void begin(int number) {
        if (isCut()) {
            throw new PowerCut(); // cleanup code does not run after a power cut
        }
        beforeOperations.run();
        observer.accept(earlierOperations + number);
        if (cutBefore > 0 && number >= cutBefore) {
            cut();
            throw new PowerCut();
        }
    }

    private void cut() {
        cuts++;
        left =
                switch (random.nextInt(6)) {
                    case 0 -> medium.crash(Survival.NONE);
                    case 1 -> medium.crash(Survival.ALL);
                    case 2 -> medium.kill(); // only the process dies, the caches survive
                    case 3 -> medium.crash(Survival.shredded(random.nextLong()));
                    default -> medium.crash(Survival.random(random.nextLong()));
                };
    }

    /**
     * Continues with what is left. The power of some incarnations is cut again soon, possibly
     * during their recovery.
     */
    SimulatedFileMedium restart() {
        earlierOperations += medium.operations();
        medium.ignoreOperations();
        medium = left;
        left = null;
        beforeOperations = NOTHING;
        cutBefore = random.nextInt(3) == 0 ? 1 + random.nextInt(MOST_OPERATIONS) : 0;
        medium.onOperation(this::begin);
        return medium;
    }
}
