package io.firn.migrator;

/** Spreads bytes over time; shared by all threads. Thread-safe. */
final class ByteRate {
    private volatile long bytesPerSecond;
    private long freeAtNs = System.nanoTime();

    ByteRate(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Another rate; what was owed at the old one is forgotten, it may be days. */
    synchronized void set(long newBytesPerSecond) {
        bytesPerSecond = newBytesPerSecond;
        freeAtNs = System.nanoTime();
    }

    long bytesPerSecond() {
        return bytesPerSecond;
    }

    /**
     * Takes its turn for so many bytes; returns how long it is to wait before, in ns: until they
     * are paid for, so that the first ones are no faster than the others.
     */
    synchronized long take(int bytes) {
        long rate = bytesPerSecond;
        if (rate == Migrator.UNLIMITED) {
            return 0;
        }
        long now = System.nanoTime();
        long from = freeAtNs - now > 0 ? freeAtNs : now;
        freeAtNs = from + (long) (bytes * 1e9 / rate);
        return freeAtNs - now;
    }
}
