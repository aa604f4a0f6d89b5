package io.firn.server;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads of a server beside its event loops. */
final class BackgroundThreads {
    private static final int KEEP_S = 10;

    private BackgroundThreads() {}

    /** For what may block, and for what has its time. */
    static ScheduledThreadPoolExecutor scheduled(int count) {
        ScheduledThreadPoolExecutor pool =
                new ScheduledThreadPoolExecutor(count, named("firn-server-"));
        // A timer that was set for an hour later must not hold its group for so long.
        pool.setRemoveOnCancelPolicy(true);
        // Nor must the end of the server wait for it.
        pool.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return pool;
    }

    /** For what clients can make last long; there are threads only while there is such work. */
    static ThreadPoolExecutor opening() {
        int count = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        count,
                        count,
                        KEEP_S,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        named("firn-open-"));
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
