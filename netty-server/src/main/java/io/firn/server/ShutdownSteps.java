package io.firn.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What a server gives back at its end, the last that it took first, whatever fails meanwhile. Steps
 * are added by the thread that starts the server; otherwise thread-safe.
 */
final class ShutdownSteps {
    private final Deque<Runnable> steps = new ArrayDeque<>();
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Adds a step before those that were added. */
    void first(Runnable step) {
        steps.addFirst(step);
    }

    /** Ends the server, unless that has begun; returns at once while another thread does it. */
    void run() {
        if (!begun.compareAndSet(false, true)) {
            return;
        }
        Throwable failure = null;
        try {
            for (Runnable each : steps) {
                failure = run(each, failure);
            }
        } finally {
            ended.countDown();
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure; // a Runnable throws nothing else
        }
    }

    private static Throwable run(Runnable step, Throwable before) {
        try {
            step.run();
            return before;
        } catch (RuntimeException | Error e) {
            if (before == null) {
                return e;
            }
            before.addSuppressed(e);
            return before;
        }
    }

    /** Waits for the end, which another thread may have begun; returns false if time is up. */
    boolean await(long ms) {
        boolean isInterrupted = false;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        try {
            while (true) {
                try {
                    return ended.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    isInterrupted = true; // the store must not end under it
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
