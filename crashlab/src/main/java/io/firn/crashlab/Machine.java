package io.firn.crashlab;

import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/**
 * The machine that a store runs on. Its power can be cut before one of the operations of its
 * medium; what the medium then holds is what the next incarnation of the store begins with. All of
 * the medium (memory, files, and the store's own directory) is cut at one instant. Operations are
 * counted on over all incarnations.
 */
final class Machine {
    private static final int MOST_OPERATIONS = 60;
    private static final Runnable NOTHING = () -> {};

    private SimulatedFileMedium medium;
    private int earlierOperations;
    private IntConsumer observer;
    private Runnable beside = NOTHING;
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
     * Calls this before each operation, with its number. Without an observer the power is never
     * cut.
     */
    void observe(IntConsumer each) {
        observer = each;
        medium.onOperation(this::begin);
    }

    /** Does something before each operation, as another thread of the program could. */
    void beside(Runnable action) {
        beside = action == null ? NOTHING : action;
    }

    /** Operations of all incarnations. */
    int operations() {
        return earlierOperations + medium.operations();
    }

    /** What the operation before a numbered one was; empty when an earlier incarnation did it. */
    String before(int number) {
        int here = number - earlierOperations;
        return here <= 0 ? "" : medium.history().get(here - 1);
    }

    /** How often the power was cut. */
    int cuts() {
        return cuts;
    }

    /** Cuts the power some operations later, or at once when that was asked for already. */
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
            throw new PowerCut(); // whatever cleans up behind the cut is not run any more
        }
        beside.run();
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
                    case 2 -> medium.kill(); // only the process dies, a cache keeps the rest
                    case 3 -> medium.crash(Survival.shredded(random.nextLong()));
                    default -> medium.crash(Survival.random(random.nextLong()));
                };
    }

    /** Goes on with what is left. Some incarnations are cut again soon, in their recovery even. */
    SimulatedFileMedium restart() {
        earlierOperations += medium.operations();
        medium.ignoreOperations();
        medium = left;
        left = null;
        beside = NOTHING;
        cutBefore = random.nextInt(3) == 0 ? 1 + random.nextInt(MOST_OPERATIONS) : 0;
        medium.onOperation(this::begin);
        return medium;
    }
}
