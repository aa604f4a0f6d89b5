package io.firn.tools;

import java.util.Arrays;

/**
 * What was measured of some work.
 *
 * @param count how often it was done
 * @param seconds in how many seconds
 * @param bytes how many bytes it wrote or read
 * @param medianMicros how long it took once; −1 where that was not measured
 * @param p99Micros how long the slowest of a hundred took
 */
record Measurement(
        String work, long count, double seconds, long bytes, long medianMicros, long p99Micros) {

    /** Returns it with the times of single pieces of work, in ns. */
    static Measurement of(String work, long[] times, double seconds, long bytes) {
        long[] sorted = times.clone();
        Arrays.sort(sorted);
        int last = sorted.length - 1;
        return new Measurement(
                work,
                sorted.length,
                seconds,
                bytes,
                last < 0 ? -1 : sorted[last / 2] / 1000,
                last < 0 ? -1 : sorted[(int) (last * 0.99)] / 1000);
    }

    long perSecond() {
        return Math.round(count / seconds);
    }

    long bytesPerSecond() {
        return Math.round(bytes / seconds);
    }

    void addTo(Table table) {
        table.row(
                work,
                perSecond(),
                bytesPerSecond(),
                medianMicros < 0 ? null : medianMicros,
                p99Micros < 0 ? null : p99Micros);
    }
}
