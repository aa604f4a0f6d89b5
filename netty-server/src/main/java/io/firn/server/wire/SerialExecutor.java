package io.firn.server.wire;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs the background work of a connection in order, one task after another. Long tasks are run in
 * steps, between which the executor runs the tasks of other connections. Thread-safe.
 */
final class SerialExecutor {
    private static final long MOST_PAUSE_MS = 32;

    private final Threads threads;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unfinished = new AtomicInteger();

    /** What a step of a task has come to. */
    enum Progress {
        /** It was the last one. */
        DONE,
        GOES_ON,
        /** It can do nothing now: the next one comes after a pause, in which it has no thread. */
        WAITS
    }

    /** A task, in one step or several. */
    interface Task {
        /** Does a step. */
        Progress run();
    }

    /** What runs the tasks of a connection. Thread-safe. */
    interface Threads {
        /** Has something run on an executor. */
        void execute(Executor executor, Runnable step);

        /** Has something run soon, by a thread that must not be kept long. */
        void later(long ms, Runnable action);
    }

    SerialExecutor(Threads threads) {
        this.threads = threads;
    }

    /** Runs a task on an executor, after the tasks that were given before it. */
    void run(Executor executor, Task task) {
        tasks.add(() -> step(executor, task, 1));
        if (unfinished.getAndIncrement() == 0) {
            threads.execute(executor, tasks.poll());
        }
    }

    /** Runs something that has no order with the tasks, when it is the client's turn. */
    void runAside(Executor executor, Runnable work) {
        threads.execute(executor, work);
    }

    /** The pause grows while a task waits again and again: very many may wait at a time. */
    private void step(Executor executor, Task task, long pauseMs) {
        Progress progress = Progress.DONE; // also when it throws
        try {
            progress = task.run();
        } finally {
            switch (progress) {
                case GOES_ON -> submit(executor, () -> step(executor, task, 1));
                case WAITS -> pause(executor, task, pauseMs);
                default -> {
                    if (unfinished.decrementAndGet() > 0) {
                        submit(executor, tasks.poll());
                    }
                }
            }
        }
    }

    private void pause(Executor executor, Task task, long ms) {
        long nextMs = Math.min(MOST_PAUSE_MS, 2 * ms);
        try {
            threads.later(ms, () -> submit(executor, () -> step(executor, task, nextMs)));
        } catch (RejectedExecutionException e) {
            tasks.clear(); // the server closes, and its connections with it
        }
    }

    private void submit(Executor executor, Runnable step) {
        try {
            threads.execute(executor, step);
        } catch (RejectedExecutionException e) {
            tasks.clear();
        }
    }
}
