package io.firn.server;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates the threads of a server other than its event loops. */
final class BackgroundThreads {
    private static final int KEEP_S = 10;

    private BackgroundThreads() {}

    /** Returns threads for tasks that may block, and for timers. */
    static ScheduledThreadPoolExecutor scheduled(int count) {
        ScheduledThreadPoolExecutor pool =
                new ScheduledThreadPoolExecutor(count, named("firn-server-"));
        // A cancelled timer does not keep its group in memory.
        pool.setRemoveOnCancelPolicy(true);
        // Closing the server does not wait for timers.
        pool.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return pool;
    }

    /** Returns threads for decompression, which can take long; idle threads end. */
    static ThreadPoolExecutor decompression() {
        int count = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        count,
                        count,
                        KEEP_S,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        named("firn-decompress-"));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static ThreadFactory named(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
