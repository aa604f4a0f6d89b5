package io.firn.server.quota;

import java.util.Arrays;

/**
 * A rate over a sliding window, as Kafka measures it: samples, of which the present one and those
 * before it count. What is recorded leaves the window with its sample. Not thread-safe.
 */
final class RateWindow {
    private final QuotaWindows windows;
    private final long startMs;
    private final double[] samples;
    private long present;
    private double total;

    /**
     * Creates an empty window.
     *
     * @param nowMs the present time, by a clock that does not go back
     */
    RateWindow(QuotaWindows windows, long nowMs) {
        this.windows = windows;
        this.samples = new double[windows.samples()];
        this.startMs = nowMs;
    }

    /** Adds an amount at a time. */
    void add(long nowMs, double amount) {
        advance(nowMs);
        samples[(int) (present % samples.length)] += amount;
        total += amount;
    }

    private void advance(long nowMs) {
        long next = (nowMs - startMs) / windows.sampleMs();
        if (next - present >= samples.length) {
            Arrays.fill(samples, 0);
            total = 0;
            present = next;
            return;
        }
        while (present < next) {
            present++;
            int oldest = (int) (present % samples.length);
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
        long windowMs = windows.fullMs() + (nowMs - startMs) % windows.sampleMs();
        double excess = total - perSecond * windowMs / 1_000;
        return excess <= 0 ? 0 : (long) Math.ceil(excess * 1_000 / perSecond);
    }
}
