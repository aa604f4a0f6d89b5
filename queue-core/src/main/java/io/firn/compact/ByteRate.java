package io.firn.compact;

import io.firn.MoveControl;

/** Limits a compaction to a number of bytes per second. For one thread. */
final class ByteRate implements MoveControl {
    private static final long SECOND_NS = 1_000_000_000;

    /** Shorter pauses are saved up: a thread that parks wakes up no earlier. */
    private static final long LEAST_PAUSE_NS = 2_000_000;

    private final long bytesPerSecond;
    private long freeNs = System.nanoTime();

    ByteRate(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    @Override
    public long pauseNs(long copied, long total, int next) {
        long now = System.nanoTime();
        freeNs = Math.max(freeNs, now - LEAST_PAUSE_NS) + next * SECOND_NS / bytesPerSecond;
        long pauseNs = freeNs - now;
        return pauseNs < LEAST_PAUSE_NS ? 0 : pauseNs;
    }
}
