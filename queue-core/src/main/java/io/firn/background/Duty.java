package io.firn.background;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One background job for one subject, for example the marks of a partition. It runs when it is
 * called, or at the time that it asked for in its last run; a duty that asked for none costs
 * nothing. A duty that fails is reported and tried again after a pause of its own.
 *
 * <p>{@link #call} is for any thread; everything else is for its {@link Duties}.
 */
public abstract class Duty implements Attempts.Step {
    /** No time. */
    protected static final long NEVER = Long.MAX_VALUE;

    private final Duties duties;
    private final Object subject;
    private final String job;
    private final BackOff backOff;
    private final long number;

    // Used by Duties: the link in the stack of calls, and the agent's own fields.
    final AtomicBoolean called = new AtomicBoolean();
    Duty nextCalled;
    long dueMs = NEVER;
    boolean polls;
    boolean isSetAside;

    /** Creates a job whose pauses after failures grow up to a minute. */
    protected Duty(Duties duties, Object subject, String job) {
        this(duties, subject, job, new BackOff());
    }

    protected Duty(Duties duties, Object subject, String job, BackOff backOff) {
        this.duties = duties;
        this.subject = subject;
        this.job = job;
        this.backOff = backOff;
        this.number = duties.nextNumber();
    }

    /** Makes it run soon. */
    public final void call() {
        duties.call(this);
    }

    /** The store's time in this pass. */
    protected final long nowMs() {
        return duties.nowMs();
    }

    /**
     * Makes it run again at a time of the store's clock, or earlier; of several times the earliest
     * counts. Only in {@link #run}.
     */
    protected final void againAt(long timeMs) {
        dueMs = Math.min(dueMs, timeMs);
    }

    /**
     * Makes it run again before long, because it waits for something of which nothing notifies it.
     * Only in {@link #run}.
     */
    protected final void againSoon() {
        polls = true;
    }

    /** Adds a duration of any length to a time. */
    protected static long later(long timeMs, long durationMs) {
        long sum = timeMs + durationMs;
        return sum < timeMs ? NEVER - 1 : sum;
    }

    final BackOff backOff() {
        return backOff;
    }

    /** Orders duties that are due at the same time: they run in the order of their creation. */
    final long number() {
        return number;
    }

    @Override
    public final String toString() {
        return subject + ": " + job;
    }
}
