package io.firn.server.quota;

/**
 * What may be used of a rate: what was not used is saved up to a limit, and more than there is can
 * be used at once, which has to be waited for afterwards. As Kafka's quota of changes. Not
 * thread-safe.
 */
final class TokenBucket {
    private final long savedMs;
    private double tokens;
    private long lastMs;

    /**
     * Creates a full bucket.
     *
     * @param savedMs for how long the rate is saved
     */
    TokenBucket(long savedMs, long nowMs, double perSecond) {
        this.savedMs = savedMs;
        this.lastMs = nowMs;
        this.tokens = most(perSecond);
    }

    private double most(double perSecond) {
        return perSecond * savedMs / 1_000;
    }

    /** Adds what has been saved since the last call. */
    void fill(long nowMs, double perSecond) {
        tokens = Math.min(most(perSecond), tokens + perSecond * (nowMs - lastMs) / 1_000);
        lastMs = nowMs;
    }

    void take(double amount) {
        tokens -= amount;
    }

    /** Returns after how many ms there is no debt any more. */
    long debtMs(double perSecond) {
        return tokens >= 0 ? 0 : (long) Math.ceil(-tokens * 1_000 / perSecond);
    }

    /** Returns after how many ms it is full. */
    long untilFullMs(double perSecond) {
        return (long) Math.ceil((most(perSecond) - tokens) * 1_000 / perSecond);
    }
}
