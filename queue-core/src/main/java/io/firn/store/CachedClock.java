package io.firn.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;
import org.agrona.concurrent.EpochClock;

/**
 * The system's clock for those who append: reading the system's own costs as much as an append. It
 * ticks, which means that the background threads set it every millisecond, for a short while after
 * somebody wanted the time; then it falls asleep, so that an idle store need not wake up for it.
 * Who wants the time of a sleeping clock reads the system's, and starts it again: nobody ever gets
 * a time from before the sleep.
 *
 * <p>It follows the system's clock back as well. Thread-safe; {@link #time} takes no lock and
 * allocates nothing.
 */
final class CachedClock implements EpochClock {
    private static final long TICKS_FOR_NS = 100_000_000;
    private static final long ASLEEP = Long.MIN_VALUE;
    private static final VarHandle TIME;

    static {
        try {
            TIME = MethodHandles.lookup().findVarHandle(CachedClock.class, "timeMs", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LongSupplier system;
    private final LongSupplier nanos;
    private final Runnable onWake;
    private volatile long ticksUntilNs;
    private volatile long timeMs = ASLEEP;

    /**
     * Sleeps.
     *
     * @param onWake has {@link #update} called every millisecond while {@link #isTicking}; null
     *     when nobody can: then it never falls asleep, and stands still between the updates
     */
    CachedClock(Runnable onWake) {
        this(System::currentTimeMillis, System::nanoTime, onWake);
    }

    CachedClock(LongSupplier system, LongSupplier nanos, Runnable onWake) {
        this.system = system;
        this.nanos = nanos;
        this.onWake = onWake;
    }

    @Override
    public long time() {
        long now = timeMs;
        return now == ASLEEP ? start() : now;
    }

    private long start() {
        long now = system.getAsLong();
        ticksUntilNs = nanos.getAsLong() + TICKS_FOR_NS;
        if (TIME.compareAndSet(this, ASLEEP, now) && onWake != null) {
            onWake.run();
        }
        return now;
    }

    /** The system's time; does not start the clock. */
    long systemTime() {
        return system.getAsLong();
    }

    boolean isTicking() {
        return timeMs != ASLEEP;
    }

    /** Sets a clock that ticks, or puts it to sleep. */
    void update() {
        long before = timeMs;
        if (before == ASLEEP) {
            return;
        }
        boolean sleeps = onWake != null && nanos.getAsLong() - ticksUntilNs >= 0;
        long now = sleeps ? ASLEEP : system.getAsLong();
        if (now != before) {
            // One thread that was delayed must not set it back to the time that it read.
            TIME.compareAndSet(this, before, now);
        }
    }
}
