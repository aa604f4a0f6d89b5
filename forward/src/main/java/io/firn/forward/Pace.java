package io.firn.forward;

/** Limits the bytes per second. For one thread, but for {@link #set}. */
final class Pace {
    /** No limit. */
    static final long UNLIMITED = -1;

    private volatile long bytesPerSecond;
    private long freeAtNs = System.nanoTime();

    Pace(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    void set(long value) {
        bytesPerSecond = value;
    }

    /** Returns how long to wait before the next bytes; 0 or less for not at all. */
    long waitNs(long nowNs) {
        return bytesPerSecond == UNLIMITED ? 0 : freeAtNs - nowNs;
    }

    /** Counts bytes that were sent. */
    void take(long bytes, long nowNs) {
        long rate = bytesPerSecond;
        long from = freeAtNs - nowNs > 0 ? freeAtNs : nowNs;
        freeAtNs = rate == UNLIMITED ? nowNs : from + (long) (bytes * 1e9 / rate);
    }
}
