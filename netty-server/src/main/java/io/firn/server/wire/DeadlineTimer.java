package io.firn.server.wire;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Runs an action at the earliest of the deadlines that were set since the action last ran. Setting
 * a deadline that is later than the present one costs one comparison, so neither a heartbeat nor a
 * request schedules anything. Not thread-safe: the owner guards it, and the action calls {@link
 * #accept} under the same guard.
 */
public final class DeadlineTimer {
    /** Deadlines that are closer together than this share one run. */
    private static final long MIN_DELAY_NS = 20_000_000;

    private final ScheduledExecutorService executor;
    private final LongSupplier clock;
    private final LongConsumer action;
    private ScheduledFuture<?> scheduled;
    private long deadlineNs;
    private long run;

    /**
     * Creates a timer without a deadline.
     *
     * @param clock the present time in ns, by the same clock as the deadlines
     * @param action receives the number of its run, which it passes to {@link #accept}
     */
    public DeadlineTimer(
            ScheduledExecutorService executor, LongSupplier clock, LongConsumer action) {
        this.executor = executor;
        this.clock = clock;
        this.action = action;
    }

    /** Makes the action run at a deadline, or earlier. */
    public void runBy(long atNs) {
        if (scheduled != null && atNs - deadlineNs >= 0) {
            return;
        }
        cancel();
        long delay = Math.max(MIN_DELAY_NS, atNs - clock.getAsLong());
        long mine = ++run;
        deadlineNs = atNs;
        try {
            scheduled = executor.schedule(() -> action.accept(mine), delay, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            scheduled = null; // the server closes
        }
    }

    /**
     * Called by the action first. If it returns true, no deadline is set any more and the action
     * sets the next one.
     *
     * @return false if an earlier deadline was set just before: the action does nothing, because it
     *     runs again
     */
    public boolean accept(long number) {
        if (number != run || scheduled == null) {
            return false;
        }
        scheduled = null;
        return true;
    }

    /** Removes the deadline. */
    public void cancel() {
        if (scheduled != null) {
            scheduled.cancel(false);
            scheduled = null;
        }
    }
}
