package io.firn.server.group;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs an action at the earliest of the times that were set since the action last ran. Setting a
 * later time than the present one costs one comparison, so a heartbeat sets no timer. Guarded by
 * its group.
 */
final class Alarm {
    /** Deadlines that are closer together than this are handled together. */
    private static final long LEAST_NS = 20_000_000;

    private final ScheduledExecutorService executor;
    private final Runnable action;
    private ScheduledFuture<?> planned;
    private long atNs;

    Alarm(ScheduledExecutorService executor, Runnable action) {
        this.executor = executor;
        this.action = action;
    }

    /** Makes the action run at a time by nanoTime, or earlier. */
    void by(long deadlineNs) {
        if (planned != null) {
            if (deadlineNs - atNs >= 0) {
                return;
            }
            planned.cancel(false);
        }
        long wait = Math.max(LEAST_NS, deadlineNs - System.nanoTime());
        atNs = deadlineNs;
        try {
            planned = executor.schedule(action, wait, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            planned = null; // the server ends
        }
    }

    /** Notes that the action runs, and that its next time has to be set. */
    void rang() {
        planned = null;
    }
}
