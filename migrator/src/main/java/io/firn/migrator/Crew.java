package io.firn.migrator;

import io.firn.ClosedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a migrator, from start to stop. Thread-safe.
 *
 * <pre>
 *          start                 stop, close, the work is over
 * STOPPED ───────▶ RUNNING ──────────────────────────────────▶ STOPPING ──▶ STOPPED
 *                                                     its last thread ends
 * </pre>
 *
 * Each start has a {@link Run} of its own, which ends once and for all: a start that comes while an
 * earlier run is stopping waits for the end of that run's threads, and never brings them back.
 * {@code close} is a stop behind which nothing starts. Threads are waited for outside of the lock.
 */
final class Crew {
    private final int size;
    private final Duty duty;
    private Run run; // the newest; null before the first start
    private boolean closed;

    /**
     * So many threads, once they are started.
     *
     * @param duty what each of them does, over and over
     */
    Crew(int size, Duty duty) {
        this.size = size;
        this.duty = duty;
    }

    /** Where a crew is. */
    enum State {
        STOPPED,
        RUNNING,
        STOPPING
    }

    /** What the threads do. */
    @FunctionalInterface
    interface Duty {
        /** Works until the run ends. */
        void work(Run run);
    }

    /** The threads of one start. */
    final class Run {
        private final List<Thread> threads = new ArrayList<>();
        private volatile boolean ending;

        /**
         * Whether the caller, a thread of this run, is to end. Drops an interrupt, which may be
         * somebody else's; that of a stop comes behind its flag, so none is dropped unseen.
         */
        boolean isToEnd() {
            boolean unused = Thread.interrupted();
            return ending;
        }

        /** From now on nothing of this run begins; what is under way is asked to give up. */
        synchronized void end() {
            ending = true;
            notifyAll();
        }

        /** Waits, unless the run ends. */
        synchronized void rest(long ns) throws InterruptedException {
            long until = System.nanoTime() + ns;
            for (long left = ns; left > 0 && !ending; left = until - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        }

        private void begin() {
            for (int i = 0; i < size; i++) {
                Thread thread = new Thread(() -> duty.work(this), "firn-migrate-" + i);
                thread.setDaemon(true);
                thread.start();
                threads.add(thread); // once it runs: nobody joins a thread that never began
            }
        }

        private boolean isOver() {
            return threads.stream().noneMatch(Thread::isAlive);
        }

        private boolean isMine() {
            return threads.contains(Thread.currentThread());
        }
    }

    /** Starts the threads, when they do not run; waits for the end of a stop that is under way. */
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
            if (before.isMine()) {
                throw new IllegalStateException(
                        "a policy cannot start the migrator whose stop waits for that policy: start"
                                + " it on another thread");
            }
            join(before);
        }
    }

    private void begin() {
        run = new Run();
        try {
            run.begin();
        } catch (Throwable e) { // there may be no more threads: those that began end again
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
        if (!ending.isMine()) {
            join(ending);
        }
    }

    /** The flag before the interrupt: whoever swallows the one still finds the other. */
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
        if (run == null || run.isOver()) {
            return State.STOPPED;
        }
        return run.ending ? State.STOPPING : State.RUNNING;
    }
}
