package io.firn.background;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;

/**
 * The duties of one agent, and the order in which they run: those that were called, in the order of
 * the calls, and those that are due. Duties are not visited in turn, so those that are not called
 * cost nothing, however many there are, and the agent rests until the next one is due.
 *
 * <p>The calls form a stack that is linked through the duties themselves, pushed by compare-and-set
 * and taken as a whole (R. K. Treiber, "Systems Programming: Coping with Parallelism", 1986): a
 * call allocates nothing. A call is never lost: the agent announces its rest before it checks the
 * stack for the last time, and a caller checks for the rest after its push.
 *
 * <p>{@link #call} and {@link #wake} are for any thread, everything else for the agent's thread.
 */
public final class Duties {
    private static final long LONGEST_REST_NS = 1_000_000_000;

    /** How often a clock that may jump is read while a duty is scheduled. */
    private static final long FOREIGN_CLOCK_REST_NS = 10_000_000;

    private static final long TICK_NS = 1_000_000;
    private static final long LONGEST_POLL_NS = 64_000_000;
    private static final int MOST_PASSES = 8;
    private static final int SPINS = 100;
    private static final int YIELDS = 10;
    private static final Comparator<Duty> BY_TIME =
            Comparator.<Duty>comparingLong(duty -> duty.dueMs).thenComparingLong(Duty::number);

    private final EpochClock clock;
    private final CachedClock cached;
    private final Attempts attempts;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicReference<Duty> calls = new AtomicReference<>();
    private final TreeSet<Duty> timed = new TreeSet<>(BY_TIME);

    /** Duties that failed, and those that wait for something of which nothing notifies them. */
    private final List<Duty> setAside = new ArrayList<>();

    private final BackOff clockTrouble = new BackOff(0);
    private final boolean paced;
    private long pollNs = TICK_NS;
    private long nextPollNs;
    private long nowMs = Long.MIN_VALUE;
    private volatile Thread thread;
    private volatile boolean resting;
    private volatile boolean ended;
    private int idles;

    /**
     * Creates it without duties.
     *
     * @param clock decides when a duty is due
     * @param cached kept up to date while it ticks; null when the user passed a clock
     * @param paced whether the agent has a thread, which from time to time checks what nothing
     *     notifies it of; otherwise each {@link #run} checks
     */
    public Duties(EpochClock clock, CachedClock cached, Attempts attempts, boolean paced) {
        this.clock = clock;
        this.cached = cached;
        this.attempts = attempts;
        this.paced = paced;
    }

    long nextNumber() {
        return numbers.getAndIncrement();
    }

    /** The time of the present pass; before the first one, when a store is closed, the clock's. */
    long nowMs() {
        return nowMs == Long.MIN_VALUE ? timeMs() : nowMs;
    }

    // ---- any thread

    /** Makes a duty run soon. */
    void call(Duty duty) {
        if (duty.called.get() || duty.called.getAndSet(true)) {
            return;
        }
        Duty first;
        do {
            first = calls.get();
            duty.nextCalled = first;
        } while (!calls.compareAndSet(first, duty));
        wake();
    }

    /** Ends the agent's rest. */
    void wake() {
        if (resting) {
            LockSupport.unpark(thread);
        }
    }

    /** Ends the agent's rest for good. */
    void end() {
        ended = true;
        LockSupport.unpark(thread);
    }

    // ---- the agent

    /** How the agent's thread waits unless the user chose another strategy. */
    IdleStrategy rest() {
        return new Rest();
    }

    /**
     * Called before the agent's thread starts.
     *
     * @param rests whether it waits as {@link #rest} does
     */
    void onThread(Thread agents, boolean rests) {
        thread = agents;
        resting = !rests; // how another strategy waits is not known: each call wakes it
    }

    /** Whether there was a call since. */
    boolean isCalled() {
        return calls.get() != null;
    }

    /** Runs the duties that were called and those that are due; returns the amount of work done. */
    public int run() {
        long now = timeMs();
        boolean wasSetBack = now < nowMs;
        nowMs = now;
        int work = wasSetBack ? runTimed() : 0;
        work += runSetAside();
        for (int pass = 0; pass < MOST_PASSES && (isCalled() || isDue()); pass++) {
            work += runCalled() + runDue();
        }
        return work;
    }

    /**
     * The time; while a clock of the user's fails, the last one that it told. No other clock takes
     * its place: by the system's, all that is kept for a while might be too old at once.
     */
    private long timeMs() {
        if (clockTrouble.leftNs() <= 0) {
            try {
                long now = clock.time();
                clockTrouble.onSuccess();
                return now;
            } catch (RuntimeException e) {
                attempts.failed("the clock", e, clockTrouble);
            }
        }
        return Math.max(0, nowMs);
    }

    private boolean isDue() {
        return !timed.isEmpty() && timed.first().dueMs <= nowMs;
    }

    /** The clock was set back: each duty sets its next time anew. */
    private int runTimed() {
        int work = 0;
        for (Duty duty : List.copyOf(timed)) {
            work += run(duty);
        }
        return work;
    }

    private int runDue() {
        int work = 0;
        while (isDue()) {
            work += run(timed.first());
        }
        return work;
    }

    private int runCalled() {
        Duty first = null;
        for (Duty last = isCalled() ? calls.getAndSet(null) : null; last != null; ) {
            Duty before = last.nextCalled;
            last.nextCalled = first;
            first = last;
            last = before;
        }
        int work = 0;
        while (first != null) {
            Duty duty = first;
            first = duty.nextCalled;
            duty.nextCalled = null;
            duty.called.set(false); // first: a call from here on asks for another run
            work += run(duty);
        }
        return work;
    }

    private int runSetAside() {
        if (setAside.isEmpty()) {
            return 0;
        }
        boolean polls = !paced || System.nanoTime() - nextPollNs >= 0;
        int work = 0;
        for (Duty duty : List.copyOf(setAside)) {
            if (duty.backOff().isFailing() || polls) {
                work += run(duty);
            }
        }
        if (polls) {
            pollNs = work > 0 ? TICK_NS : Math.min(2 * pollNs, LONGEST_POLL_NS);
            nextPollNs = System.nanoTime() + pollNs;
        }
        return work;
    }

    /** Runs a duty, unless it is in the pause after a failure. */
    private int run(Duty duty) {
        if (duty.backOff().leftNs() > 0) {
            return 0; // it stays among those that failed
        }
        if (duty.dueMs != Duty.NEVER) {
            timed.remove(duty);
            duty.dueMs = Duty.NEVER;
        }
        duty.polls = false;
        int work = attempts.run(duty, duty, duty.backOff());
        boolean failed = work == Attempts.FAILED;
        if (failed) {
            duty.dueMs = Duty.NEVER; // it is tried again after its pause
        }
        if (duty.dueMs != Duty.NEVER) {
            duty.dueMs = Math.max(duty.dueMs, nowMs + 1);
            timed.add(duty);
        }
        setAside(duty, failed || duty.polls);
        return failed ? 0 : work;
    }

    private void setAside(Duty duty, boolean isToBe) {
        if (isToBe && !duty.isSetAside) {
            if (setAside.isEmpty() || duty.polls) {
                pollNs = TICK_NS;
                nextPollNs = System.nanoTime() + pollNs;
            }
            setAside.add(duty);
        } else if (!isToBe && duty.isSetAside) {
            setAside.remove(duty);
        }
        duty.isSetAside = isToBe;
    }

    private long restNs() {
        long ns = cached != null && cached.isTicking() ? TICK_NS : LONGEST_REST_NS;
        if (!timed.isEmpty()) {
            long ms = Math.max(0, timed.first().dueMs - timeMs());
            long untilDueNs = Math.min(ms, LONGEST_REST_NS / 1_000_000) * 1_000_000;
            ns = Math.min(ns, cached == null ? FOREIGN_CLOCK_REST_NS : untilDueNs);
        }
        for (int i = 0; i < setAside.size(); i++) {
            Duty duty = setAside.get(i);
            boolean failing = duty.backOff().isFailing();
            long left = failing ? duty.backOff().leftNs() : nextPollNs - System.nanoTime();
            ns = Math.min(ns, left);
        }
        return ns;
    }

    /**
     * Spins and yields for a moment, since work often comes in bursts, and then parks until the
     * next duty is due. Once a second it reads the clock, which may have been set.
     */
    private final class Rest implements IdleStrategy {
        @Override
        public void idle(int workCount) {
            if (workCount > 0) {
                idles = 0;
            } else {
                idle();
            }
        }

        @Override
        public void idle() {
            if (idles < SPINS) {
                idles++;
                Thread.onSpinWait();
            } else if (idles < SPINS + YIELDS) {
                idles++;
                Thread.yield();
            } else {
                park();
            }
        }

        @Override
        public void reset() {
            idles = 0;
        }

        private void park() {
            resting = true;
            // Only now: from here on, a call or a request for the time wakes this thread.
            long ns = isCalled() || ended ? 0 : restNs();
            if (ns > 0) {
                LockSupport.parkNanos(Duties.this, ns);
            }
            resting = false;
        }
    }
}
