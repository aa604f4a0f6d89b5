package io.firn.api;

import org.agrona.concurrent.EpochClock;

/** A clock that stands still until it is told. */
final class ManualClock implements EpochClock {
    private volatile long nowMs = 1_700_000_000_000L;
    private volatile Runnable onTime = () -> {};

    @Override
    public long time() {
        onTime.run();
        return nowMs;
    }

    /** Runs whenever somebody asks for the time. */
    void onTime(Runnable hook) {
        onTime = hook;
    }

    void set(long timeMs) {
        nowMs = timeMs;
    }

    void advance(long ms) {
        set(nowMs + ms);
    }
}
