package io.firn.shadow;

/** Limits the bytes per second that are fetched. For one thread, but for {@link #set}. */
final class FetchRate {
    /** A rate without limit. */
    static final long UNLIMITED = -1;

    private static final int PIECES_PER_SECOND = 4;
    private static final int LEAST_BYTES = 16 << 10;

    private volatile long bytesPerSecond;
    private long freeAtNs;
    private boolean hasTaken;

    FetchRate(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Changes the rate. */
    void set(long value) {
        bytesPerSecond = value;
    }

    /** Returns whether there is no limit. */
    boolean isUnlimited() {
        return bytesPerSecond == UNLIMITED;
    }

    /** Returns how many bytes an answer should have at most. */
    int mostBytes() {
        long rate = bytesPerSecond;
        return rate == UNLIMITED
                ? Integer.MAX_VALUE
                : (int)
                        Math.min(
                                Integer.MAX_VALUE, Math.max(LEAST_BYTES, rate / PIECES_PER_SECOND));
    }

    /** Returns how long to wait before the next request, in ms; 0 if none. */
    long waitMs(long nowNs) {
        if (bytesPerSecond == UNLIMITED || !hasTaken) {
            return 0;
        }
        return Math.max(0, (freeAtNs - nowNs + 999_999) / 1_000_000);
    }

    /** Counts bytes that were fetched. */
    void take(long bytes, long nowNs) {
        long rate = bytesPerSecond;
        if (rate != UNLIMITED) {
            long from = hasTaken && freeAtNs - nowNs > 0 ? freeAtNs : nowNs;
            freeAtNs = from + (long) (bytes * 1e9 / rate);
            hasTaken = true;
        }
    }
}
