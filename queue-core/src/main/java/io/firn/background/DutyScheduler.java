package io.firn.background;

import io.firn.background.Duty.Duties;
import java.util.concurrent.atomic.AtomicReference;
import javax.annotation.concurrent.GuardedBy;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

/**
 * Which duty runs next: those that were called, in the order of the calls, and those that are due.
 * Duties are not visited in turn, so those that are not called cost nothing, however many there
 * are. Several threads may take duties; each duty is run by one of them at a time.
 *
 * <p>{@link #call} takes no lock. The threads take duties under a lock that none of them holds
 * while it runs a duty or calls a clock.
 */
public final class DutyScheduler implements Duties {
    /** The longest rest of a thread that is not woken. */
    static final long LONGEST_REST_NS = 1_000_000_000;

    /** How often a clock that may jump is read while a duty is scheduled. */
    private static final long FOREIGN_CLOCK_REST_NS = 10_000_000;

    /** While there is a run, the thread that watches looks this often, in case that it hangs. */
    private static final long BESIDE_A_RUN_NS = 20_000_000;

    /** How much later than the thread that watches the time the other ones look at it. */
    private static final long DEPUTY_NS = 500_000_000;

    private static final int MOST_PASSES = 8;

    private final CheckedClock clock;
    private final Attempts attempts;
    private final CalledDuties calls = new CalledDuties();
    private final Workers workers;
    private final long longestRestNs;
    private final boolean isFirstLaneSerial;

    /** Runs a duty of a lane in which duties run one after another; null when none is run. */
    private volatile Thread serialRunner;

    @GuardedBy("this")
    private final Schedule schedule;

    @GuardedBy("this")
    private final ReadyDuties ready;

    @GuardedBy("this")
    private long numbers;

    @GuardedBy("this")
    private Worker watcher;

    @GuardedBy("this")
    private long watcherLooksNs;

    private volatile long nowMs = Long.MIN_VALUE;

    /** How often the time was looked at; tells who read it before another one did. */
    private volatile long looks;

    /**
     * Creates it without duties.
     *
     * @param clock decides when a duty is due
     * @param lanes into how many lanes its duties are divided
     * @param isFirstLaneSerial whether duties of the first lane are run one after another
     * @param workers the threads that take duties; null when the caller of {@link #run} does
     * @param longestRestNs how long a thread rests when no time is known at which it has to look
     */
    DutyScheduler(
            CheckedClock clock,
            int lanes,
            boolean isFirstLaneSerial,
            Workers workers,
            long longestRestNs) {
        this.clock = clock;
        this.attempts = clock.attempts();
        this.workers = workers;
        this.longestRestNs = longestRestNs;
        this.isFirstLaneSerial = isFirstLaneSerial && workers != null;
        this.schedule = new Schedule(workers != null);
        this.ready =
                new ReadyDuties(lanes, isFirstLaneSerial, workers == null ? 0 : workers.most());
    }

    /** Creates one without duties whose caller runs them, see {@link #run}. */
    public static DutyScheduler invoked(EpochClock clock, Attempts attempts) {
        CheckedClock checked = new CheckedClock(clock, true, null, attempts);
        return new DutyScheduler(checked, 1, false, null, LONGEST_REST_NS);
    }

    @Override
    public synchronized long nextNumber() {
        return numbers++;
    }

    @Override
    public NanoClock nanoClock() {
        return attempts.clock();
    }

    @Override
    public long nowMs() {
        return nowMs == Long.MIN_VALUE ? timeMs() : nowMs;
    }

    private long timeMs() {
        return clock.timeMs(nowMs);
    }

    @Override
    public void call(Duty duty) {
        if (duty.noteCall()) {
            calls.add(duty);
            if (workers != null && !isCalledForLater(duty)) {
                workers.onCall();
            }
        }
    }

    /** Whether no other thread may run it before the caller has ended its own run, and looks. */
    private boolean isCalledForLater(Duty duty) {
        return isFirstLaneSerial && duty.lane() == 0 && Thread.currentThread().equals(serialRunner);
    }

    /** Whether there was a call at which no thread has looked. */
    boolean isCalled() {
        return calls.isAny();
    }

    // ---- a caller who runs all

    /** Runs the duties that were called and those that are due; returns the amount of work done. */
    public int run() {
        clock.tick();
        int work = 0;
        for (int pass = 0; pass < MOST_PASSES; pass++) {
            int count = collect(pass == 0);
            if (count == 0) {
                break;
            }
            for (int i = 0; i < count; i++) {
                work += run(begin());
            }
        }
        return work;
    }

    /** Whether there was a call since, or a duty called itself. */
    synchronized boolean isAnyLeft() {
        return calls.isAny() || ready.size() > 0;
    }

    private int collect(boolean polls) {
        long before = looks;
        long now = polls ? timeMs() : nowMs;
        synchronized (this) {
            collect(now, before, polls);
            return ready.size();
        }
    }

    private synchronized Duty begin() {
        return beginNext();
    }

    // ---- workers

    /** Returns the next duty, for {@link #run}; null when there is none now. */
    Duty take(Worker taker) {
        clock.tick();
        long before = looks;
        long now = timeMs();
        synchronized (this) {
            if (taker == watcher) {
                watcher = null;
            }
            collect(now, before, true);
            Duty duty = beginNext();
            taker.leavesMore = ready.isAny();
            return duty;
        }
    }

    @GuardedBy("this")
    private void collect(long now, long looksBefore, boolean polls) {
        boolean isNewest = looks == looksBefore; // otherwise another thread has read a later time
        long count = looks;
        looks = count + 1;
        if (isNewest && now < nowMs) {
            nowMs = now;
            schedule.takeTimed(ready); // the clock was set back: each sets its next time anew
        }
        nowMs = Math.max(now, nowMs);
        if (polls) {
            schedule.takeSetAside(ready);
        }
        Duty next;
        for (Duty duty = calls.takeAll(); duty != null; duty = next) {
            next = duty.next;
            if (duty.backOff().leftNs() > 0) {
                duty.dropCall(); // it is tried again after its pause
            } else {
                ready.add(duty);
            }
        }
        schedule.takeDue(nowMs, ready);
    }

    @GuardedBy("this")
    private Duty beginNext() {
        Duty duty = ready.poll();
        if (duty != null) {
            schedule.onBegin(duty);
            duty.begin();
        }
        return duty;
    }

    /** Runs a duty that was taken; returns the amount of work done. */
    int run(Duty duty) {
        boolean returned = false;
        int work = 0;
        if (isFirstLaneSerial && duty.runsIn == 0) {
            serialRunner = Thread.currentThread();
        }
        try {
            work = attempts.run(duty.job(), duty, duty.backOff());
            returned = true;
        } finally {
            end(duty, work, returned);
        }
        return Math.max(0, work);
    }

    /** A duty that ends its thread is never run again: it would end the next one. */
    private synchronized void end(Duty duty, int work, boolean returned) {
        if (isFirstLaneSerial && duty.runsIn == 0) {
            serialRunner = null; // before another thread may begin a run there
        }
        ready.ended(duty);
        if (returned) {
            schedule.onEnd(duty, work, nowMs);
            if (duty.end()) {
                if (duty.backOff().leftNs() > 0) {
                    duty.dropCall(); // it is tried again after its pause
                } else {
                    ready.add(duty);
                }
            }
        }
    }

    /**
     * Returns how long a thread that found nothing may rest unless it is woken. One thread watches
     * the time exactly; each other one looks a little later, in case that one is busy then. If what
     * the watching thread rests for is done, the one that rests now watches: it is the thread that
     * calls wake, and the other can sleep on.
     */
    long restNs(Worker rester) {
        long now = timeMs();
        boolean ticks = clock.isTicking();
        synchronized (this) {
            if (ready.isAny()) {
                return 0; // called during its run
            }
            long ns = Math.min(untilDueNs(now), schedule.asideNs(longestRestNs));
            if (workers.isAnyRunning()) {
                ns = Math.min(ns, BESIDE_A_RUN_NS); // a run that hangs wakes nobody
            }
            long watchNs = ticks ? Math.min(ns, Schedule.TICK_NS) : ns;
            long lookNs = System.nanoTime() + watchNs;
            // Times are in ms, so what differs by less is one time.
            if (watcher == null || Math.abs(lookNs - watcherLooksNs) > Schedule.TICK_NS) {
                watcher = rester;
                watcherLooksNs = lookNs;
                return watchNs;
            }
            return ns + DEPUTY_NS;
        }
    }

    @GuardedBy("this")
    private long untilDueNs(long now) {
        long ms = schedule.untilDueMs(now);
        if (ms == Duty.NEVER) {
            return longestRestNs;
        }
        return clock.isForeign()
                ? FOREIGN_CLOCK_REST_NS
                : Math.min(ms, longestRestNs / 1_000_000) * 1_000_000;
    }

    /**
     * The duties that were called and not looked at since: a stack that is linked through the
     * duties themselves, pushed by compare-and-set and taken as a whole (R. K. Treiber, "Systems
     * Programming: Coping with Parallelism", 1986), so that a call allocates nothing. Thread-safe.
     */
    private static final class CalledDuties {
        private final AtomicReference<Duty> last = new AtomicReference<>();

        boolean isAny() {
            return last.get() != null;
        }

        /** Adds a duty that is not among them. */
        void add(Duty duty) {
            Duty before;
            do {
                before = last.get();
                duty.next = before;
            } while (!last.compareAndSet(before, duty));
        }

        /** Takes all of them, linked in the order of the calls; null when there are none. */
        Duty takeAll() {
            Duty first = null;
            for (Duty each = isAny() ? last.getAndSet(null) : null; each != null; ) {
                Duty before = each.next;
                each.next = first;
                first = each;
                each = before;
            }
            return first;
        }
    }
}
