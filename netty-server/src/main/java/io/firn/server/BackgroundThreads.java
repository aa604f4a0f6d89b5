package io.firn.server;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The threads of a server other than its event loops. Each kind of work has its own, so that
 * members of groups do not wait for an administrator, and neither waits for a disk. Thread-safe.
 */
final class BackgroundThreads implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final int KEEP_S = 10;

    /** One force of the journal is for all transactions that end at the same time. */
    private static final int TRANSACTIONS_AT_ONCE = 4;

    private final ThreadFactory factory;
    private final Consumer<Error> onError;
    private final ScheduledThreadPoolExecutor groups;
    private final ThreadPoolExecutor admin;
    private final ThreadPoolExecutor timestamps;
    private final ThreadPoolExecutor reads;
    private final ThreadPoolExecutor decompression;
    private final ThreadPoolExecutor handshakes;
    private final ThreadPoolExecutor tokenKeys;
    private final ThreadPoolExecutor transactions;

    /**
     * Creates the threads, which start with their first tasks.
     *
     * @param count how many serve groups, and how many read from disks; transactions have four
     *     times as many, which wait for forces
     * @param factory makes them; they get the names of their work
     * @param onError receives an {@code Error} that ended a task, after it was logged
     */
    BackgroundThreads(int count, ThreadFactory factory, Consumer<Error> onError) {
        this.factory = factory;
        this.onError = onError;
        groups = new Timers(count);
        // A cancelled timer does not keep its group in memory.
        groups.setRemoveOnCancelPolicy(true);
        // Closing the server does not wait for timers.
        groups.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        int half = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        admin = new Pool(2, "firn-admin-");
        timestamps = new Pool(half, "firn-timestamps-");
        reads = new Pool(count, "firn-read-");
        decompression = new Pool(half, "firn-decompress-");
        handshakes = new Pool(half, "firn-handshake-");
        tokenKeys = new Pool(1, "firn-token-keys-");
        transactions = new Pool(TRANSACTIONS_AT_ONCE * count, "firn-transactions-");
    }

    /** Returns the threads for groups and for all timers. */
    ScheduledExecutorService groups() {
        return groups;
    }

    /** Returns the threads for administrative requests. */
    ExecutorService admin() {
        return admin;
    }

    /** Returns the threads that search offsets by timestamp. */
    ExecutorService timestamps() {
        return timestamps;
    }

    /** Returns the threads that read what may be on a disk. */
    ExecutorService reads() {
        return reads;
    }

    /** Returns the threads that decompress what producers send. */
    ExecutorService decompression() {
        return decompression;
    }

    /** Returns the threads for what takes long in a handshake of TLS. */
    ExecutorService handshakes() {
        return handshakes;
    }

    /** Returns the thread that waits for other servers to send keys of tokens. */
    ExecutorService tokenKeys() {
        return tokenKeys;
    }

    /** Returns the threads for producers of transactions. */
    ExecutorService transactions() {
        return transactions;
    }

    /** Returns those that handle requests, by the work that they are for. */
    ApiRegistration.Executors executors() {
        return new ApiRegistration.Executors(
                groups, admin, timestamps, reads, decompression, transactions);
    }

    /** Ends the threads after their tasks; waits at most ten seconds for each kind. */
    @Override
    public void close() {
        end(groups);
        end(admin);
        end(timestamps);
        end(reads);
        end(decompression);
        end(handshakes);
        end(tokenKeys);
        end(transactions);
    }

    private static void end(ExecutorService threads) {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(10, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    /** Reports what has ended a task: a pool for timers would keep it to itself. */
    private void ended(Runnable task, Throwable thrown) {
        Throwable why = thrown;
        if (why == null && task instanceof Future<?> future && future.isDone()) {
            try {
                future.get();
            } catch (ExecutionException e) {
                why = e.getCause();
            } catch (CancellationException e) {
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        if (why == null) {
            return;
        }
        if (why instanceof Error error) {
            onError.accept(error);
        }
        LOG.log(System.Logger.Level.ERROR, "a task in the background failed", why);
    }

    /** Threads that also run timers. */
    private final class Timers extends ScheduledThreadPoolExecutor {
        Timers(int count) {
            super(count, new NamedThreadFactory(factory, "firn-server-"));
        }

        @Override
        protected void afterExecute(Runnable task, Throwable thrown) {
            ended(task, thrown);
        }
    }

    /** Threads that end when they are idle. */
    private final class Pool extends ThreadPoolExecutor {
        Pool(int count, String name) {
            super(
                    count,
                    count,
                    KEEP_S,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    new NamedThreadFactory(factory, name));
            allowCoreThreadTimeOut(true);
        }

        @Override
        protected void afterExecute(Runnable task, Throwable thrown) {
            ended(task, thrown);
        }
    }
}
