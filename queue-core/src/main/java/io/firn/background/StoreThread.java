package io.firn.background;

import io.firn.InvalidOptionException;
import io.firn.RetryableException;
import io.firn.medium.FileErrors.OutOfThreadsException;
import io.firn.medium.GuardedLog;
import java.io.IOException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.agrona.concurrent.IdleStrategy;

/**
 * A thread of a store's: repeats a step until it is told to end. It continues after an exception;
 * an {@link Error}, or an interrupt when there is nothing to do, ends it too early. Nothing else
 * does all of its work then, so that is reported. Thread-safe.
 */
final class StoreThread {
    private static final GuardedLog LOG = GuardedLog.get();

    private static final long LONG_STEP_MS = 5_000;

    private final Attempts.Step step;
    private final IdleStrategy rest;
    private final boolean survivesFaults;
    private final Maker maker;
    private final Thread thread;
    private volatile boolean ending;

    /**
     * Creates it; it does not run yet.
     *
     * @param step returns how much it did; when that is nothing, the thread rests
     * @param survivesFaults whether a fault in a mapping, which Java may tell of in any code that
     *     runs, leaves nothing half done: the thread goes on
     */
    StoreThread(
            Maker maker,
            String name,
            Attempts.Step step,
            IdleStrategy rest,
            boolean survivesFaults) {
        ThreadFactory threads = maker.factory;
        this.survivesFaults = survivesFaults;
        this.step = step;
        this.rest = rest;
        this.maker = maker;
        this.thread = threads == null ? new Thread(this::live) : threads.newThread(this::live);
        if (thread == null) {
            throw new InvalidOptionException("the thread factory made no thread for " + name);
        }
        thread.setName(name); // by which it is reported
        if (threads == null) {
            thread.setDaemon(true);
        }
    }

    /**
     * Makes a thread, and is notified of its end.
     *
     * @param factory null for daemon threads
     * @param onDeath told the name of a thread that has ended too early, and why
     */
    record Maker(ThreadFactory factory, BiConsumer<String, Throwable> onDeath) {}

    /**
     * Starts it.
     *
     * @throws RetryableException with an {@link OutOfThreadsException} when the system has no
     *     thread left
     */
    void start() {
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            IOException lack = new OutOfThreadsException("run " + thread.getName(), e);
            throw new RetryableException(lack.getMessage(), lack);
        }
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    void wake() {
        LockSupport.unpark(thread);
    }

    boolean isEnding() {
        return ending;
    }

    /** Makes it end after the step that it is in. */
    void end() {
        ending = true;
        LockSupport.unpark(thread);
    }

    /**
     * Waits for its end; true when interrupted meanwhile, which does not end the wait. When it
     * takes long, the thread is interrupted: a callback of the user's may wait for something in it.
     */
    boolean join() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join(LONG_STEP_MS);
                if (thread.isAlive()) {
                    LOG.log(System.Logger.Level.WARNING, "waiting for the end of {0}", thread);
                    thread.interrupt();
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    private void live() {
        Throwable why = null;
        try {
            repeat();
        } catch (Throwable e) {
            why = e;
        }
        if (!ending) {
            maker.onDeath.accept(thread.getName(), why == null ? new InterruptedException() : why);
        }
    }

    private void repeat() {
        while (!ending) {
            int work = 0;
            try {
                work = step.run();
                rest.idle(work);
            } catch (Exception e) {
                failed(e);
            } catch (InternalError e) {
                if (!survivesFaults) {
                    throw e;
                }
                failed(e);
            }
            if (work <= 0 && thread.isInterrupted()) {
                return;
            }
        }
    }

    private void failed(Throwable e) {
        LOG.log(System.Logger.Level.ERROR, thread.getName() + " failed", e);
    }

    @Override
    public String toString() {
        return thread.getName();
    }
}
