package io.firn.shadow;

import java.util.random.RandomGenerator;

/**
 * The pause before something that failed is tried again: it doubles with each failure, and a fifth
 * of it is random, so that what failed together is not repeated together. For one thread.
 */
final class RetryPause {
    private final long firstMs;
    private final long longestMs;
    private final RandomGenerator random;
    private int failures;
    private long untilMs;

    RetryPause(long firstMs, long longestMs, RandomGenerator random) {
        this.firstMs = Math.max(1, firstMs);
        this.longestMs = Math.max(this.firstMs, longestMs);
        this.random = random;
    }

    /** Begins the next pause. */
    void failed(long nowMs) {
        long ms = Math.min(longestMs, firstMs << Math.min(failures, 20));
        failures++;
        untilMs = nowMs + Math.max(1, ms * 4 / 5 + random.nextLong(ms / 5 + 1) * 2);
    }

    /** Ends the pause, and forgets the failures. */
    void succeeded() {
        failures = 0;
        untilMs = 0;
    }

    boolean isOver(long nowMs) {
        return failures == 0 || nowMs - untilMs >= 0;
    }
}
