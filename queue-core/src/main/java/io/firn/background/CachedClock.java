package io.firn.background;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;
import org.agrona.concurrent.EpochClock;

/**
 * The system clock, cached for appenders: reading the system clock itself costs about as much as an
 * append. While the time is asked for often, the clock ticks: the background threads set it every
 * millisecond. Otherwise it sleeps, and callers read the system clock: to wake threads a thousand
 * times a second would cost more, and delay the threads that are running where all cores are busy.
 * No caller ever gets a time from before a sleep.
 *
 * <p>It also follows when the system clock is set back. Thread-safe; {@link #time} takes no lock
 * and allocates nothing.
 */
final class CachedClock implements EpochClock {
    private static final long TICKS_FOR_NS = 100_000_000;

    /** More reads in this time cost about as much as the ticks. */
    private static final long WINDOW_MS = 16;

    private static final int MOST_READS = 4096;

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

    // While asleep; approximate, because threads may change them at once.
    private long countedMs;
    private int reads;

    /**
     * Creates a sleeping clock.
     *
     * @param onWake has {@link #update} called every millisecond while {@link #isTicking}; null
     *     when that is impossible: then the clock never sleeps, and stands still between updates
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
        return now == ASLEEP ? read() : now;
    }

    private long read() {
        long now = system.getAsLong();
        if (onWake != null && !isOften(now)) {
            return now;
        }
        ticksUntilNs = nanos.getAsLong() + TICKS_FOR_NS;
        if (TIME.compareAndSet(this, ASLEEP, now) && onWake != null) {
            onWake.run();
        }
        return now;
    }

    private boolean isOften(long now) {
        // A thread that was delayed and catches up asks often for a shorter time.
        if (now - countedMs >= WINDOW_MS || now < countedMs) {
            countedMs = now;
            reads = 0;
        }
        return ++reads > MOST_READS;
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
            // A thread that was delayed must not set the clock back to the time that it read.
            TIME.compareAndSet(this, before, now);
        }
    }
}
