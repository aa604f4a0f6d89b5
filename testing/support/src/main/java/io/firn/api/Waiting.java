package io.firn.api;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * How tests wait: for a state, with one limit for all of them. Only what hangs reaches the limit,
 * so that a test also passes on a machine that is busy with other things. It is shorter than the
 * time limit of a test in the root pom, so that a failure says what was waited for.
 */
public final class Waiting {
    /** How long to wait before something is said to hang, in seconds. */
    public static final long HANGS_AFTER_S = 300;

    private static final long PAUSE_NS = 500_000;

    private Waiting() {}

    /** Waits for a condition. */
    public static void await(String what, BooleanSupplier condition) {
        await(() -> what, condition);
    }

    /**
     * Waits for a condition.
     *
     * @param what called when it hangs, to say what was waited for and what there is
     */
    public static void await(Supplier<String> what, BooleanSupplier condition) {
        long began = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - began > TimeUnit.SECONDS.toNanos(HANGS_AFTER_S)) {
                throw new AssertionError(
                        "waited " + HANGS_AFTER_S + " s without success for " + what.get());
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    /** Returns what a task or a request returns. */
    public static <T> T get(Future<T> future)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    /** Waits for the end of a thread. */
    public static void join(Thread thread) throws InterruptedException {
        thread.join(TimeUnit.SECONDS.toMillis(HANGS_AFTER_S));
        if (thread.isAlive()) {
            throw new AssertionError(thread + " hangs");
        }
    }

    /** Waits for the end of a process. */
    public static void end(Process process) throws InterruptedException {
        if (!process.waitFor(HANGS_AFTER_S, TimeUnit.SECONDS)) {
            throw new AssertionError("process " + process.pid() + " hangs");
        }
    }
}
