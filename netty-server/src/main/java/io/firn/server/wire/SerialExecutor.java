package io.firn.server.wire;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs the background work of a connection in order, one task after another. Thread-safe. */
final class SerialExecutor {
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unfinished = new AtomicInteger();

    /** Runs a task on an executor, after the tasks that were given before it. */
    void run(Executor executor, Runnable task) {
        tasks.add(
                () -> {
                    try {
                        task.run();
                    } finally {
                        next(executor);
                    }
                });
        if (unfinished.getAndIncrement() == 0) {
            executor.execute(tasks.poll());
        }
    }

    private void next(Executor executor) {
        if (unfinished.decrementAndGet() > 0) {
            try {
                executor.execute(tasks.poll());
            } catch (RejectedExecutionException e) {
                tasks.clear(); // the server closes, and its connections with it
            }
        }
    }
}
