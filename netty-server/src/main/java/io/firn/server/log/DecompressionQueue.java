package io.firn.server.log;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs work that decompresses batches, away from the event loops: a small batch may take long. The
 * bytes of the requests that wait are limited; a request that is larger than the limit waits alone.
 * Thread-safe.
 */
public final class DecompressionQueue {
    private static final long MAX_BYTES = 64 << 20;

    private final Executor executor;
    private final AtomicLong queuedBytes = new AtomicLong();

    /** Creates an empty queue; the threads of the executor may be busy for long. */
    public DecompressionQueue(Executor executor) {
        this.executor = executor;
    }

    /**
     * Runs work on the executor.
     *
     * @param bytes the size of the request, which is kept until then
     * @return false if the queue is full; try again later
     * @throws RejectedExecutionException if the server closes
     */
    boolean tryRun(long bytes, Runnable work) {
        long before = queuedBytes.getAndAdd(bytes);
        if (before > 0 && before + bytes > MAX_BYTES) {
            queuedBytes.addAndGet(-bytes);
            return false;
        }
        boolean accepted = false;
        try {
            executor.execute(
                    () -> {
                        try {
                            work.run();
                        } finally {
                            queuedBytes.addAndGet(-bytes);
                        }
                    });
            accepted = true;
        } finally {
            if (!accepted) {
                queuedBytes.addAndGet(-bytes);
            }
        }
        return true;
    }
}
