package io.firn.background;

import io.firn.medium.GuardedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs steps that wait for a disk several at once: a file system that is asked for several forces
 * makes them durable together. The threads exist only while there is work, so that it can be used
 * when the store's own have ended, and in any of them. Thread-safe.
 */
public final class ParallelSteps {
    private static final GuardedLog LOG = GuardedLog.get();

    /** A thread for fewer steps would cost more than it saves where forces are fast. */
    private static final int STEPS_OF_A_THREAD = 4;

    private final ThreadFactory factory;
    private final int most;

    /** The threads that exist now, for all callers. */
    private final AtomicInteger helping = new AtomicInteger();

    /**
     * Creates it without threads.
     *
     * @param factory makes the threads; null for daemon threads
     * @param most the largest number of steps at once, of all callers but for one of each; 1 when
     *     only the callers run them
     */
    public ParallelSteps(ThreadFactory factory, int most) {
        this.factory = factory;
        this.most = most;
    }

    /** Returns how many steps it takes until a larger number is no faster for each. */
    public int usefulSteps() {
        return Math.max(2, most) * STEPS_OF_A_THREAD;
    }

    /**
     * Runs each step once, in any order, on this thread and others, and returns when all have
     * ended. With a single thread they run in their order.
     *
     * @throws RuntimeException or Error, what the first step threw that failed; the others were run
     *     nevertheless
     */
    public void run(List<Runnable> steps) {
        Run run = new Run(steps);
        List<Thread> helpers = new ArrayList<>();
        int wanted = Math.min(most, steps.size() / STEPS_OF_A_THREAD);
        while (helpers.size() < wanted - 1 && addHelper(run, helpers)) {
            // One more.
        }
        run.work();
        awaitEnd(helpers);
        run.throwFailure();
    }

    private boolean addHelper(Run run, List<Thread> helpers) {
        int number = helping.incrementAndGet();
        Thread thread = number < most ? start(run, "firn-help-" + number) : null;
        if (thread == null) {
            helping.decrementAndGet(); // those that exist do its work
            return false;
        }
        helpers.add(thread);
        return true;
    }

    /** Returns null when it was refused. */
    private Thread start(Run run, String name) {
        try {
            Thread thread = factory == null ? new Thread(run::work) : factory.newThread(run::work);
            if (thread != null) {
                thread.setName(name);
                thread.setDaemon(factory == null || thread.isDaemon());
                thread.start();
            }
            return thread;
        } catch (RuntimeException | OutOfMemoryError e) { // of the factory; no more threads
            LOG.log(System.Logger.Level.DEBUG, name + " was not created", e);
            return null;
        }
    }

    private void awaitEnd(List<Thread> helpers) {
        boolean interrupted = false;
        for (Thread helper : helpers) {
            while (helper.isAlive()) {
                try {
                    helper.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            helping.decrementAndGet();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The steps of one call. */
    private static final class Run {
        private final List<Runnable> steps;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();

        Run(List<Runnable> steps) {
            this.steps = steps;
        }

        void work() {
            for (int i = next.getAndIncrement(); i < steps.size(); i = next.getAndIncrement()) {
                try {
                    steps.get(i).run();
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            }
        }

        void throwFailure() {
            Throwable first = failure.get();
            if (first instanceof Error error) {
                throw error;
            }
            if (first != null) {
                throw (RuntimeException) first; // a Runnable throws nothing else
            }
        }
    }
}
