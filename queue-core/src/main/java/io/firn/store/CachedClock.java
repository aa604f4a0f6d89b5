package io.firn.store;

import org.agrona.concurrent.EpochClock;

/**
 * The system's clock, read by the background threads: reading it costs as much as an append.
 * Between two looks of theirs it stands still; it never goes back.
 */
final class CachedClock implements EpochClock {
    private volatile long timeMs = System.currentTimeMillis();

    @Override
    public long time() {
        return timeMs;
    }

    void update() {
        long now = System.currentTimeMillis();
        if (now > timeMs) {
            timeMs = now;
        }
    }
}
