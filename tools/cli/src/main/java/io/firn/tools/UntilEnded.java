package io.firn.tools;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A command that runs until the process is asked to end. The process then ends only after {@link
 * #close}, so that a store is closed first, unless that takes half a minute.
 */
final class UntilEnded implements AutoCloseable {
    private static final long MOST_SECONDS = 30;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    UntilEnded() {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    ended.countDown();
                                    awaitClose();
                                }));
    }

    private void awaitClose() {
        try {
            boolean unused = closed.await(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits; returns whether the process was asked to end. */
    boolean await(long ms) throws InterruptedException {
        return ended.await(ms, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
