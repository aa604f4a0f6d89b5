package io.firn.background;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * One of the threads that take duties from a scheduler. It looks for duties, runs one, or is
 * parked. When it finds none, it spins for a moment, and yields if work has come in quick
 * succession; then it parks until it is called or has to look at the time.
 */
final class Worker implements IdleStrategy {
    static final long NOT_RUNNING = 0;
    private static final int SPINS = 100;
    private static final int YIELDS = 10;
    private static final long LONG_YIELD_NS = 100_000;

    /** After a longer rest the next work is not expected at once. */
    private static final long SHORT_REST_NS = 1_000_000;

    private static final VarHandle PARKED;

    static {
        try {
            PARKED = MethodHandles.lookup().findVarHandle(Worker.class, "parked", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Workers workers;
    private final NanoClock clock;
    private final DutyScheduler scheduler;
    private final StoreThread thread;
    private final boolean hasOwnRest;
    private volatile boolean parked;
    private int idles;
    private boolean hasRestedLong;
    private volatile long begunNs = NOT_RUNNING;
    private volatile long movedNs;

    /** Set by the scheduler: whether another thread could take a duty, too. */
    boolean leavesMore;

    /**
     * Creates a worker; its thread does not run yet.
     *
     * @param clock tells how long a run has taken
     * @param rest how it waits for duties; null to park
     */
    Worker(
            Workers workers,
            NanoClock clock,
            DutyScheduler scheduler,
            String name,
            IdleStrategy rest) {
        this.workers = workers;
        this.clock = clock;
        this.scheduler = scheduler;
        this.hasOwnRest = rest != null;
        this.movedNs = clock.nanoTime();
        this.thread =
                new StoreThread(
                        workers.makerOfThreads(),
                        name,
                        this::step,
                        rest == null ? this : rest,
                        false);
    }

    StoreThread thread() {
        return thread;
    }

    private int step() {
        Duty duty = scheduler.take(this);
        if (duty == null) {
            if (hasOwnRest) {
                onProgress(); // otherwise after its rest
            }
            return 0;
        }
        long start = clock.nanoTime();
        movedNs = start;
        begunNs = start == NOT_RUNNING ? start + 1 : start;
        workers.beginRun(leavesMore);
        int work = 0;
        try {
            work = scheduler.run(duty);
        } finally {
            begunNs = NOT_RUNNING;
            long end = clock.nanoTime();
            movedNs = end;
            workers.endRun(work > 0 ? end - start : 0);
        }
        return work;
    }

    /** When its present run has begun; {@link #NOT_RUNNING} when it is in none. */
    long begunNs() {
        return begunNs;
    }

    /** For how long it has neither begun nor ended a run or a rest, which is short. */
    long stillNs() {
        return clock.nanoTime() - movedNs;
    }

    /** Called in a long run of its own that goes on, and at the end of a rest. */
    void onProgress() {
        movedNs = clock.nanoTime();
    }

    /** Ends its rest; false when it is awake, or another thread has just woken it. */
    boolean wakeIfParked() {
        if (parked && PARKED.compareAndSet(this, true, false)) {
            thread.wake();
            return true;
        }
        return false;
    }

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
        } else if (!hasRestedLong && idles < SPINS + YIELDS) {
            idles = isCoreWanted() ? SPINS + YIELDS : idles + 1;
        } else {
            park();
        }
    }

    /** Yields; returns whether others took the core for so long that to look again delays them. */
    private static boolean isCoreWanted() {
        long start = System.nanoTime();
        Thread.yield();
        return System.nanoTime() - start > LONG_YIELD_NS;
    }

    @Override
    public void reset() {
        idles = 0;
    }

    /**
     * A call is never lost: the worker announces its rest before it looks at the calls for the last
     * time, and a caller looks for a worker that rests after its call.
     */
    private void park() {
        parked = true;
        workers.onPark();
        // Only now: from here on, a call or a request for the time wakes this thread.
        long ns = scheduler.isCalled() || thread.isEnding() ? 0 : scheduler.restNs(this);
        if (ns > 0) {
            long start = System.nanoTime();
            LockSupport.parkNanos(scheduler, ns);
            // A yield to a thread that spins costs that one a switch, and another one soon after.
            hasRestedLong = System.nanoTime() - start > SHORT_REST_NS;
        }
        onProgress();
        if (PARKED.compareAndSet(this, true, false)) {
            workers.onUnparked(); // otherwise by who woke it
        }
    }
}
