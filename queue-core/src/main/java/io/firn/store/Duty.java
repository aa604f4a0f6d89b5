package io.firn.store;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One job of the background for one subject, for example the marks of a partition. It is run when
 * somebody calls for it, or at the time that it asked for when it was run last; a duty that asked
 * for nothing costs nothing. One that fails is reported and tried again after a pause of its own.
 *
 * <p>{@link #call} is for any thread; the rest belongs to the {@link Duties} that it is one of.
 */
abstract class Duty implements Attempts.Step {
    /** Not at any time. */
    static final long NEVER = Long.MAX_VALUE;

    private final Duties duties;
    private final Object subject;
    private final String job;
    private final BackOff backOff;
    private final long number;

    // Who holds the stack of calls, and whose thread runs it, use these.
    final AtomicBoolean called = new AtomicBoolean();
    Duty nextCalled;
    long dueMs = NEVER;
    boolean polls;
    boolean isSetAside;

    /** A job, which fails up to a minute apart. */
    Duty(Duties duties, Object subject, String job) {
        this(duties, subject, job, new BackOff());
    }

    Duty(Duties duties, Object subject, String job, BackOff backOff) {
        this.duties = duties;
        this.subject = subject;
        this.job = job;
        this.backOff = backOff;
        this.number = duties.nextNumber();
    }

    /** Has it run soon. */
    final void call() {
        duties.call(this);
    }

    /** The store's time in this pass of the background. */
    final long nowMs() {
        return duties.nowMs();
    }

    /**
     * Has it run again at a time of the store's clock, at the latest; the earliest time that it
     * asks for counts. Only in {@link #run}.
     */
    final void againAt(long timeMs) {
        dueMs = Math.min(dueMs, timeMs);
    }

    /** Has it run again before long, because it waits for what nobody tells of. In {@link #run}. */
    final void againSoon() {
        polls = true;
    }

    /** A time and a duration, which may be as long as the user likes. */
    static long later(long timeMs, long durationMs) {
        long sum = timeMs + durationMs;
        return sum < timeMs ? NEVER - 1 : sum;
    }

    final BackOff backOff() {
        return backOff;
    }

    /** Tells duties apart that are due at the same time: they run in the order of their making. */
    final long number() {
        return number;
    }

    @Override
    public final String toString() {
        return subject + ": " + job;
    }
}
