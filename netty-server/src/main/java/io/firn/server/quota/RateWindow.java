package io.firn.server.quota;

/**
 * A rate over a sliding window, as Kafka measures it: samples of a second, of which the present one
 * and those before it count. What is recorded leaves the window with its sample. Not thread-safe.
 */
final class RateWindow {
    /** Kafka's default of {@code quota.window.num}. */
    static final int SAMPLES = 11;

    /** Kafka's default of {@code quota.window.size.seconds}. */
    static final long SAMPLE_MS = 1_000;

    /** The samples that are complete. */
    static final long FULL_MS = (SAMPLES - 1) * SAMPLE_MS;

    private final long startMs;
    private final double[] samples = new double[SAMPLES];
    private long present;
    private double total;

    /**
     * Creates an empty window.
     *
     * @param nowMs the present time, by a clock that does not go back
     */
    RateWindow(long nowMs) {
        this.startMs = nowMs;
    }

    /** Adds an amount at a time. */
    void add(long nowMs, double amount) {
        advance(nowMs);
        samples[(int) (present % SAMPLES)] += amount;
        total += amount;
    }

    private void advance(long nowMs) {
        long next = (nowMs - startMs) / SAMPLE_MS;
        if (next - present >= SAMPLES) {
            java.util.Arrays.fill(samples, 0);
            total = 0;
            present = next;
            return;
        }
        while (present < next) {
            present++;
            int oldest = (int) (present % SAMPLES);
            total -= samples[oldest];
            samples[oldest] = 0;
        }
    }

    /**
     * Returns for how many ms nothing may follow so that the average over the window and this time
     * is the quota; 0 if the quota is not exceeded.
     */
    long throttleMs(long nowMs, double perSecond) {
        advance(nowMs);
        long windowMs = FULL_MS + (nowMs - startMs) % SAMPLE_MS;
        double excess = total - perSecond * windowMs / 1_000;
        return excess <= 0 ? 0 : (long) Math.ceil(excess * 1_000 / perSecond);
    }
}
