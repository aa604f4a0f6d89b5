package io.firn.crashlab;

import io.firn.crashlab.Action.Kind;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Simulates what other threads do while one thread moves or compacts segments: executes actions
 * before some of its operations on the medium. The actions run on its thread, so that a workload
 * remains deterministic. Where it holds a lock for which they would have to wait, they are left
 * out.
 */
final class ConcurrentActions implements Runnable {
    private static final int MOST_ACTIONS = 4;

    /** Before one of this number of operations an action is executed. */
    private static final int OPERATIONS_PER_ACTION = 3;

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
    private int left = MOST_ACTIONS;
    private boolean isActing;

    ConcurrentActions(long seed, Consumer<Action> act) {
        this.random = new SplittableRandom(seed);
        this.act = act;
    }

    @Override
    public void run() {
        if (isActing || left == 0 || random.nextInt(OPERATIONS_PER_ACTION) != 0 || isLocked()) {
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

    /** Whether a lock is held under which numbers are reserved or producers are written. */
    private static boolean isLocked() {
        return StackWalker.getInstance()
                .walk(
                        frames ->
                                frames.anyMatch(
                                        each ->
                                                each.getClassName().endsWith("LeasedCounter")
                                                        || each.getClassName()
                                                                .endsWith("Checkpoints")));
    }
}
