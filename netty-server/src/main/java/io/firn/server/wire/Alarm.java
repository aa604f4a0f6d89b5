package io.firn.server.wire;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Runs an action at the earliest of the times that it was given since the action last ran. A later
 * time than the one that is set costs one comparison, so neither a heartbeat nor a request sets a
 * timer. Guarded by its owner, whom the action has to call {@link #rang} under the same guard.
 */
public final class Alarm {
    /** Deadlines that are closer together than this are looked at together. */
    private static final long LEAST_NS = 20_000_000;

    private final ScheduledExecutorService executor;
    private final LongSupplier clock;
    private final LongConsumer action;
    private ScheduledFuture<?> planned;
    private long atNs;
    private long number;

    /**
     * Sets nothing yet.
     *
     * @param clock the present time in ns, as that of the deadlines
     * @param action gets what it has to tell {@link #rang}
     */
    public Alarm(ScheduledExecutorService executor, LongSupplier clock, LongConsumer action) {
        this.executor = executor;
        this.clock = clock;
        this.action = action;
    }

    /** Has the action run at a time by the clock, or earlier. */
    public void by(long deadlineNs) {
        if (planned != null && deadlineNs - atNs >= 0) {
            return;
        }
        cancel();
        long wait = Math.max(LEAST_NS, deadlineNs - clock.getAsLong());
        long mine = ++number;
        atNs = deadlineNs;
        try {
            planned = executor.schedule(() -> action.accept(mine), wait, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            planned = null; // the server ends
        }
    }

    /**
     * Says that the action runs, and has to be given its next time.
     *
     * @return false when an earlier time was set just before: the action has to do nothing, because
     *     it runs once more
     */
    public boolean rang(long which) {
        if (which != number || planned == null) {
            return false;
        }
        planned = null;
        return true;
    }

    /** Forgets the time that is set. */
    public void cancel() {
        if (planned != null) {
            planned.cancel(false);
            planned = null;
        }
    }
}
