package io.firn.migrator;

import javax.annotation.concurrent.GuardedBy;

/** Limits the bytes per second that all threads copy together. Thread-safe. */
final class ByteRate {
    /** A rate without limit. */
    static final long UNLIMITED = -1;

    private volatile long bytesPerSecond;

    @GuardedBy("this")
    private long freeAtNs = System.nanoTime();

    ByteRate(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Changes the rate. Bytes that were reserved at the old rate no longer delay others. */
    synchronized void set(long newBytesPerSecond) {
        bytesPerSecond = newBytesPerSecond;
        freeAtNs = System.nanoTime();
    }

    long bytesPerSecond() {
        return bytesPerSecond;
    }

    /**
     * Reserves bytes; returns how long the caller must wait before it moves them, in ns. The wait
     * includes these bytes themselves, so that the first ones are no faster than the others.
     */
    synchronized long take(int bytes) {
        long rate = bytesPerSecond;
        if (rate == UNLIMITED) {
            return 0;
        }
        long now = System.nanoTime();
        long from = freeAtNs - now > 0 ? freeAtNs : now;
        freeAtNs = from + (long) (bytes * 1e9 / rate);
        return freeAtNs - now;
    }
}
