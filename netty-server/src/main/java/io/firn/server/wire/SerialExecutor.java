package io.firn.server.wire;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Runs the background work of a connection in order, one task after another. Long tasks are run in
 * steps, between which the executor runs the tasks of other connections. Thread-safe.
 */
final class SerialExecutor {
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unfinished = new AtomicInteger();

    /**
     * Runs a task on an executor, after the tasks that were given before it.
     *
     * @param task does a step of the work; returns whether that was the last one
     */
    void run(Executor executor, BooleanSupplier task) {
        tasks.add(() -> step(executor, task));
        if (unfinished.getAndIncrement() == 0) {
            executor.execute(tasks.poll());
        }
    }

    private void step(Executor executor, BooleanSupplier task) {
        boolean done = true; // also when it throws
        try {
            done = task.getAsBoolean();
        } finally {
            if (!done) {
                submit(executor, () -> step(executor, task));
            } else if (unfinished.decrementAndGet() > 0) {
                submit(executor, tasks.poll());
            }
        }
    }

    private void submit(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            tasks.clear(); // the server closes, and its connections with it
        }
    }
}
