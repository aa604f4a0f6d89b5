package io.firn.background;

import io.firn.medium.GuardedLog;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * The threads that take duties from one scheduler. There is always one more than run duties, up to
 * a limit: it is created when all others are busy, and notices a call while they are in I/O.
 *
 * <p>A call wakes a thread only when none looks for duties, and a thread that takes one wakes the
 * next if there are more: so a call for which no thread is needed costs no wake-up. While runs are
 * shorter than it takes to wake a thread, those that are awake do all. If one of them hangs then,
 * another one finds the calls when it next looks at the time ({@link DutyScheduler#restNs}).
 */
final class Workers {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final long SHORT_RUN_NS = 20_000;
    private static final long GUARD_NS = 10_000_000;
    private static final int RUNS_OF_AVERAGE = 8;

    private final String name;
    private final NanoClock clock;
    private final StoreThread.Maker maker;
    private final Worker[] workers;
    private final AtomicInteger looking = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private volatile int started;
    private volatile long guardedNs;
    private volatile boolean areRunsShort = true;
    private long averageRunNs; // approximate: two threads may change it at once
    private DutyScheduler scheduler;
    private StoreThread unparked;
    private boolean ending;
    private boolean isCreationRefused;

    /**
     * Creates none yet.
     *
     * @param name the first thread's; the others' names have a number
     * @param most the largest number of threads
     * @param clock tells how long a run has taken
     */
    Workers(StoreThread.Maker maker, String name, int most, NanoClock clock) {
        this.maker = maker;
        this.name = name;
        this.clock = clock;
        this.guardedNs = clock.nanoTime() - GUARD_NS;
        this.workers = new Worker[most];
    }

    StoreThread.Maker makerOfThreads() {
        return new StoreThread.Maker(maker.factory(), this::onDeath);
    }

    int most() {
        return workers.length;
    }

    /**
     * Starts the first thread.
     *
     * @param rest how it waits; null to park as the others
     */
    synchronized void start(DutyScheduler ofDuties, IdleStrategy rest) {
        scheduler = ofDuties;
        Worker first = add(name, rest);
        try {
            first.thread().start();
        } catch (RuntimeException | Error e) {
            remove();
            throw e;
        }
        if (rest != null) {
            unparked = first.thread(); // how that waits is not known: each call wakes it
        }
    }

    /** Undoes an {@link #add} whose thread does not run. */
    private synchronized void remove() {
        started--;
        looking.decrementAndGet();
    }

    private Worker add(String threadName, IdleStrategy rest) {
        int number = started;
        Worker worker = new Worker(this, clock, scheduler, threadName, rest);
        workers[number] = worker;
        looking.incrementAndGet();
        started = number + 1;
        return worker;
    }

    private synchronized void startSpare() {
        int number = started + 1;
        if (ending || number > workers.length || running.get() < started) {
            return;
        }
        String spareName = name + "-" + number;
        Worker spare;
        try {
            spare = add(spareName, null);
        } catch (RuntimeException | Error e) { // of the user's thread factory
            if (!isCreationRefused) {
                isCreationRefused = true; // it is tried, and refused, again and again
                LOG.log(System.Logger.Level.WARNING, spareName + " was not created", e);
            }
            return;
        }
        try {
            spare.thread().start();
        } catch (RuntimeException | Error e) {
            // No more threads, for example, or one that runs already: those that run go on.
            remove();
            LOG.log(System.Logger.Level.WARNING, spareName + " was not started", e);
        }
    }

    boolean isCurrent() {
        for (int i = 0; i < started; i++) {
            if (workers[i].thread().isCurrent()) {
                return true;
            }
        }
        return false;
    }

    /** Adds for how long each thread has stood still, by its name. */
    void addStill(Map<String, Duration> all) {
        for (int i = 0; i < started; i++) {
            all.put(workers[i].thread().toString(), Duration.ofNanos(workers[i].stillNs()));
        }
    }

    /** Called in a long run that goes on; has no effect on another thread. */
    void onProgress() {
        for (int i = 0; i < started; i++) {
            if (workers[i].thread().isCurrent()) {
                workers[i].onProgress();
            }
        }
    }

    // ---- any thread

    /** A duty was called: a thread has to look. */
    void onCall() {
        if (unparked != null) {
            unparked.wake();
        }
        if (looking.get() <= 0 && (!areRunsShort || !endsSoon())) {
            wakeOne();
        }
    }

    /** Whether a thread is in a run that has just begun; one that hangs is not waited for. */
    private boolean endsSoon() {
        long now = clock.nanoTime();
        for (int i = 0; i < started; i++) {
            long begun = workers[i].begunNs();
            if (begun != Worker.NOT_RUNNING && now - begun < SHORT_RUN_NS) {
                return true;
            }
        }
        return false;
    }

    boolean isAnyRunning() {
        return running.get() > 0;
    }

    /** Makes a thread that is parked look, if one is: the first, so that the others can sleep. */
    void wakeOne() {
        for (int i = 0; i < started; i++) {
            if (workers[i].wakeIfParked()) {
                looking.incrementAndGet();
                return;
            }
        }
    }

    // ---- the worker itself

    /** While runs are short, another thread looks now and then, in case this run is not. */
    private boolean isGuardDue() {
        long now = clock.nanoTime();
        boolean isDue = now - guardedNs > GUARD_NS;
        if (isDue) {
            guardedNs = now;
        }
        return isDue;
    }

    /** It has taken a duty and looks no more; a call that found it looking is looked at here. */
    void beginRun(boolean leavesMore) {
        int busy = running.incrementAndGet();
        int others = looking.decrementAndGet();
        if (busy >= started && started < workers.length) {
            startSpare();
        }
        if (others <= 0 && (areRunsShort ? isGuardDue() : leavesMore || scheduler.isCalled())) {
            wakeOne();
        }
    }

    /** It looks for the next duty; before it is no longer running, so that no call misses it. */
    void endRun(long runNs) {
        looking.incrementAndGet();
        running.decrementAndGet();
        if (runNs > 0) {
            averageRunNs += (runNs - averageRunNs) / RUNS_OF_AVERAGE;
            boolean areShort = averageRunNs < SHORT_RUN_NS;
            if (areShort != areRunsShort) {
                areRunsShort = areShort;
            }
        }
    }

    void onPark() {
        looking.decrementAndGet();
    }

    void onUnparked() {
        looking.incrementAndGet();
    }

    private void onDeath(String threadName, Throwable why) {
        looking.decrementAndGet();
        maker.onDeath().accept(threadName, why);
        wakeOne(); // it looks at what that one has called
    }

    // ---- the end

    /** Makes all of them end after the duty that each is in. */
    synchronized void end() {
        ending = true;
        for (int i = 0; i < started; i++) {
            workers[i].thread().end();
        }
    }

    /** Waits for their end; true when interrupted meanwhile. */
    boolean join() {
        boolean interrupted = false;
        for (int i = 0; i < started; i++) {
            interrupted |= workers[i].thread().join();
        }
        return interrupted;
    }
}
