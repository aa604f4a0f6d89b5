package io.firn.migrator;

import io.firn.ClosedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import javax.annotation.concurrent.GuardedBy;

/**
 * The threads of a migrator. Thread-safe.
 *
 * <pre>
 *          start                 stop, close, end of the work
 * STOPPED ───────▶ RUNNING ──────────────────────────────────▶ STOPPING ──▶ STOPPED
 *                                                     its last thread ends
 * </pre>
 *
 * Each start creates a {@link Run}, which ends for good: a start during the stop of an earlier run
 * waits for the end of that run's threads and never revives them. {@code close} is a stop after
 * which nothing starts. Threads are joined outside of the lock.
 */
final class MigratorThreads {
    private final int size;
    private final ThreadFactory factory;
    private final Duty duty;

    /** The newest; null before the first start. */
    @GuardedBy("this")
    private Run run;

    @GuardedBy("this")
    private boolean closed;

    /**
     * Creates so many threads, which are not started.
     *
     * @param factory makes them; null for daemon threads
     * @param duty what each thread does repeatedly
     */
    MigratorThreads(int size, ThreadFactory factory, Duty duty) {
        this.size = size;
        this.factory = factory;
        this.duty = duty;
    }

    /** The state of the threads. */
    enum State {
        STOPPED,
        RUNNING,
        STOPPING
    }

    /** The work of the threads. */
    @FunctionalInterface
    interface Duty {
        /** Works until the run ends. */
        void work(Run run);
    }

    /** The threads of one start. */
    final class Run {
        /** Complete before the monitor of the migrator's threads is released; not changed then. */
        private final List<Thread> threads = new ArrayList<>();

        private volatile boolean ending;

        /**
         * Returns whether the caller, a thread of this run, must end. Clears the interrupt status,
         * which other code may have set; a stop sets its flag before it interrupts, so no stop is
         * missed.
         */
        boolean mustEnd() {
            boolean unused = Thread.interrupted();
            return ending;
        }

        /** Lets no further move of this run begin, and asks the moves in progress to give up. */
        synchronized void end() {
            ending = true;
            notifyAll();
        }

        /** Waits for a time, or until the run ends. */
        synchronized void pause(long ns) throws InterruptedException {
            long until = System.nanoTime() + ns;
            for (long left = ns; left > 0 && !ending; left = until - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        }

        private void begin() {
            for (int i = 0; i < size; i++) {
                Thread thread = newThread(() -> duty.work(this));
                thread.setName("firn-migrate-" + i);
                thread.start();
                threads.add(thread); // once it runs: only started threads can be joined
            }
        }

        private Thread newThread(Runnable work) {
            if (factory != null) {
                return Objects.requireNonNull(
                        factory.newThread(work), "the thread factory made no thread");
            }
            Thread thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
        }

        private boolean hasEnded() {
            return threads.stream().noneMatch(Thread::isAlive);
        }

        private boolean includesCaller() {
            return threads.contains(Thread.currentThread());
        }
    }

    /** Starts the threads if they do not run; waits for the end of a stop in progress. */
    void start() {
        while (true) {
            Run before;
            synchronized (this) {
                if (closed) {
                    throw new ClosedException("this migrator was closed: build another one");
                }
                if (state() == State.RUNNING) {
                    return;
                }
                if (state() == State.STOPPED) {
                    begin();
                    return;
                }
                before = run;
            }
            if (before.includesCaller()) {
                throw new IllegalStateException(
                        "a policy cannot start its migrator while a stop waits for the policy: start"
                                + " it on another thread");
            }
            join(before);
        }
    }

    @GuardedBy("this")
    private void begin() {
        run = new Run();
        try {
            run.begin();
        } catch (Throwable e) { // the system may refuse a thread: those that began end again
            end(run);
            throw e;
        }
    }

    /**
     * Ends the threads. On return none of them runs, unless the caller is one of them, which cannot
     * wait for itself.
     */
    void stop(boolean forGood) {
        Run ending;
        synchronized (this) {
            closed |= forGood;
            ending = run;
            if (ending == null) {
                return;
            }
            end(ending);
        }
        if (!ending.includesCaller()) {
            join(ending);
        }
    }

    /** Ends the threads, and does not wait for them; returns false if there are none. */
    synchronized boolean end() {
        if (state() == State.STOPPED) {
            return false;
        }
        end(run);
        return true;
    }

    /**
     * The flag is set before the interrupt: code that swallows the interrupt still finds the flag.
     */
    private static void end(Run ending) {
        ending.end();
        for (Thread thread : ending.threads) {
            if (thread != Thread.currentThread()) {
                thread.interrupt();
            }
        }
    }

    private static void join(Run ending) {
        boolean interrupted = false;
        for (Thread thread : ending.threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized State state() {
        if (run == null || run.hasEnded()) {
            return State.STOPPED;
        }
        return run.ending ? State.STOPPING : State.RUNNING;
    }
}
