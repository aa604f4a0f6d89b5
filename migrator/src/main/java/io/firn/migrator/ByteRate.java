package io.firn.migrator;

/** Spreads bytes over time; shared by all threads. Thread-safe. */
final class ByteRate {
    private volatile long bytesPerSecond;
    private long freeAtNs = System.nanoTime();

    ByteRate(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    void set(long newBytesPerSecond) {
        bytesPerSecond = newBytesPerSecond;
    }

    long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** Takes its turn for so many bytes; returns how long it is to wait before, in ns. */
    synchronized long take(int bytes) {
        long rate = bytesPerSecond;
        if (rate == Migrator.UNLIMITED) {
            return 0;
        }
        long now = System.nanoTime();
        long from = freeAtNs - now > 0 ? freeAtNs : now;
        freeAtNs = from + (long) (bytes * 1e9 / rate);
        return from - now;
    }
}
