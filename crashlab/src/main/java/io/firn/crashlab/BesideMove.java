package io.firn.crashlab;

import io.firn.crashlab.Action.Kind;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * What other threads do while one moves a segment: actions that come before some of the move's
 * operations on the medium. They run on the move's thread, so that a workload stays deterministic;
 * where the move holds a lock that they would have to wait for, they do not come.
 */
final class BesideMove implements Runnable {
    private static final int MOST = 4;
    private static final int ONE_OF = 3;
    private static final Kind[] KINDS = {
        Kind.APPEND,
        Kind.APPEND_ASYNC,
        Kind.APPEND_BULK,
        Kind.FORCE,
        Kind.PASS,
        Kind.PASS,
        Kind.CURSOR,
        Kind.DELETE_RECORDS
    };

    private final SplittableRandom random;
    private final Consumer<Action> act;
    private int left = MOST;
    private boolean isActing;

    BesideMove(long seed, Consumer<Action> act) {
        this.random = new SplittableRandom(seed);
        this.act = act;
    }

    @Override
    public void run() {
        if (isActing || left == 0 || random.nextInt(ONE_OF) != 0 || isLocked()) {
            return;
        }
        left--;
        isActing = true;
        try {
            Kind kind = KINDS[random.nextInt(KINDS.length)];
            act.accept(new Action(kind, 0, random.nextInt(1 << 20), random.nextInt(1 << 20)));
        } finally {
            isActing = false;
        }
    }

    /** Numbers are reserved under a lock, and an append that needs one would wait. */
    private static boolean isLocked() {
        return StackWalker.getInstance()
                .walk(
                        frames ->
                                frames.anyMatch(
                                        each -> each.getClassName().endsWith("LeasedCounter")));
    }
}
