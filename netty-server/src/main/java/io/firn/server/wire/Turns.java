package io.firn.server.wire;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs a connection's work elsewhere, one piece after the other. Thread-safe. */
final class Turns {
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger taken = new AtomicInteger();

    /** Runs something after what was given before. */
    void run(Executor executor, Runnable work) {
        waiting.add(
                () -> {
                    try {
                        work.run();
                    } finally {
                        next(executor);
                    }
                });
        if (taken.getAndIncrement() == 0) {
            executor.execute(waiting.poll());
        }
    }

    private void next(Executor executor) {
        if (taken.decrementAndGet() > 0) {
            try {
                executor.execute(waiting.poll());
            } catch (RejectedExecutionException e) {
                waiting.clear(); // the server ends, and its connections with it
            }
        }
    }
}
