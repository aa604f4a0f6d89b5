package io.firn.background;

import io.firn.findings.FindingKey;
import io.firn.findings.Subject;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.NanoClock;

/**
 * One background job for one subject, for example the marks of a partition. It runs when it is
 * called, or at the time that it asked for in its last run; a duty that asked for none costs
 * nothing. A duty that fails is reported and tried again after a pause of its own. It is never run
 * by two threads at once: a call during a run asks for another one after it.
 *
 * <p>{@link #call} is for any thread; everything else is for its {@link Duties}.
 */
public abstract class Duty implements Attempts.Step {
    /** No time. */
    protected static final long NEVER = Long.MAX_VALUE;

    private static final int RESTING = 0;

    /** It is among the calls, or ready to be run. */
    private static final int CALLED = 1;

    private static final int RUNNING = 2;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Duty.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Duties duties;
    private final FindingKey job;
    private final BackOff backOff;
    private final long number;

    private volatile int state = RESTING;

    // Used by the scheduler: the link among the calls and then among those that are ready, and what
    // its lock guards. The thread that runs the duty has the next two.
    Duty next;
    boolean isSetAside;
    int runsIn;
    long dueMs = NEVER;
    boolean polls;

    /** Creates a job whose pauses after failures grow up to a minute. */
    protected Duty(Duties duties, Subject subject, String job) {
        this(duties, FindingKey.job(subject, job));
    }

    /** As {@link #Duty(Duties, Subject, String)}, where that it fails is a finding of some kind. */
    protected Duty(Duties duties, FindingKey job) {
        this(duties, job, new BackOff(duties.nanoClock()));
    }

    /** Creates a job with pauses of its own after failures. */
    protected Duty(Duties duties, FindingKey job, BackOff backOff) {
        this.duties = duties;
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

    /** Which tier it waits for, so that a slow one does not occupy all threads. */
    protected int lane() {
        return 0;
    }

    /** Whether a caller waits for it; others are run later when all threads are busy. */
    protected boolean isUrgent() {
        return true;
    }

    // ---- the scheduler

    /**
     * Notes a call; returns whether the caller has to enter it, since it neither runs nor waits.
     */
    final boolean noteCall() {
        while (true) {
            int now = state;
            if ((now & CALLED) != 0) {
                return false;
            }
            if (STATE.compareAndSet(this, now, now | CALLED)) {
                return now == RESTING;
            }
        }
    }

    /** Forgets the call of a duty that is not run now. */
    final void dropCall() {
        state = RESTING;
    }

    /** A run begins; from here on, a call asks for another one. */
    final void begin() {
        state = RUNNING;
    }

    /** A run has ended; returns whether it was called meanwhile, and has to be run again. */
    final boolean end() {
        if (STATE.compareAndSet(this, RUNNING, RESTING)) {
            return false;
        }
        state = CALLED;
        return true;
    }

    final BackOff backOff() {
        return backOff;
    }

    /** Orders duties that are due at the same time: they run in the order of their creation. */
    final long number() {
        return number;
    }

    /** Names it, also in the finding that it fails. */
    final FindingKey job() {
        return job;
    }

    @Override
    public final String toString() {
        return job.toString();
    }

    /**
     * Where duties are entered: they are run by one thread or by several, in the order of calls.
     */
    public interface Duties {
        /** Makes a duty run soon; for any thread, allocates nothing. */
        void call(Duty duty);

        /** The time of the last look at the clock; before the first one, the clock's. */
        long nowMs();

        /** The clock that measures the pauses after failures. */
        NanoClock nanoClock();

        /** A number for the next duty that is created. */
        long nextNumber();
    }
}
