package io.firn.server.log;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where batches are decompressed to count their records, away from the event loops: a small batch
 * may take long. The requests that wait here are bounded by their bytes; one that is larger than
 * the bound waits alone. Thread-safe.
 */
public final class Openings {
    private static final long MOST_BYTES = 64 << 20;

    private final Executor executor;
    private final AtomicLong waitingBytes = new AtomicLong();

    /** On an executor whose threads may be kept busy for long. */
    public Openings(Executor executor) {
        this.executor = executor;
    }

    /**
     * Has something run there.
     *
     * @param bytes of the request, which are kept until then
     * @return false when too many bytes wait; to be tried again
     * @throws java.util.concurrent.RejectedExecutionException when the server ends
     */
    boolean tryRun(long bytes, Runnable work) {
        long before = waitingBytes.getAndAdd(bytes);
        if (before > 0 && before + bytes > MOST_BYTES) {
            waitingBytes.addAndGet(-bytes);
            return false;
        }
        boolean taken = false;
        try {
            executor.execute(
                    () -> {
                        try {
                            work.run();
                        } finally {
                            waitingBytes.addAndGet(-bytes);
                        }
                    });
            taken = true;
        } finally {
            if (!taken) {
                waitingBytes.addAndGet(-bytes);
            }
        }
        return true;
    }
}
