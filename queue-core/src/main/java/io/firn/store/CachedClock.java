package io.firn.store;

import java.util.function.LongSupplier;
import org.agrona.concurrent.EpochClock;

/**
 * The system's clock, read by the background threads: reading it costs as much as an append.
 * Between two looks of theirs it stands still. It follows the system's clock back as well: what is
 * due by time would have to wait until that is where it was.
 */
final class CachedClock implements EpochClock {
    private final LongSupplier system;
    private volatile long timeMs;

    CachedClock() {
        this(System::currentTimeMillis);
    }

    CachedClock(LongSupplier system) {
        this.system = system;
        this.timeMs = system.getAsLong();
    }

    @Override
    public long time() {
        return timeMs;
    }

    /** One thread at a time: one that was delayed would set it back to the time that it read. */
    synchronized void update() {
        long now = system.getAsLong();
        if (now != timeMs) {
            timeMs = now;
        }
    }
}
