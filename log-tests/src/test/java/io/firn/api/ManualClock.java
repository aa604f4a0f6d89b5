package io.firn.api;

import org.agrona.concurrent.EpochClock;

/** A clock that stands still until it is told. */
final class ManualClock implements EpochClock {
    private volatile long nowMs = 1_700_000_000_000L;

    @Override
    public long time() {
        return nowMs;
    }

    void set(long timeMs) {
        nowMs = timeMs;
    }

    void advance(long ms) {
        set(nowMs + ms);
    }
}
