package io.firn.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CachedClockTest {
    private final AtomicLong system = new AtomicLong(5_000);
    private final AtomicLong nanos = new AtomicLong(-7);
    private final AtomicInteger woken = new AtomicInteger();

    private CachedClock clock() {
        return new CachedClock(system::get, nanos::get, woken::getAndIncrement);
    }

    private long askOften(CachedClock clock) {
        long time = 0;
        for (int i = 0; i < 10_000; i++) {
            time = clock.time();
        }
        return time;
    }

    /** Each tick wakes a thread, which delays the appenders and readers of a busy machine. */
    @Test
    void shouldReadTheSystemsClockWithoutTicksWhileItIsAskedRarely() {
        CachedClock clock = clock();
        for (int ms = 0; ms < 1_000; ms++) {
            for (int i = 0; i < 100; i++) {
                assertEquals(system.get(), clock.time());
            }
            system.incrementAndGet();
        }
        assertFalse(clock.isTicking());
        assertEquals(0, woken.get());
    }

    /** Where it stood still, forces, marks and cursors that are due by time waited as long. */
    @Test
    void shouldFollowTheSystemsClockForthAndBackWhileItTicks() {
        CachedClock clock = clock();
        assertEquals(5_000, askOften(clock));
        system.set(6_000);
        assertEquals(5_000, clock.time(), "until the next tick");
        clock.update();
        assertEquals(6_000, clock.time());
        system.set(1_000);
        clock.update();
        assertEquals(1_000, clock.time());
        system.set(1_001);
        clock.update();
        assertEquals(1_001, clock.time());
        assertEquals(1, woken.get());
    }

    @Test
    void shouldNeverGiveATimeFromBeforeItFellAsleep() {
        CachedClock clock = clock();
        assertFalse(clock.isTicking());
        assertEquals(5_000, askOften(clock));
        assertTrue(clock.isTicking());
        nanos.addAndGet(1_000_000_000);
        clock.update();
        assertFalse(clock.isTicking(), "nobody wanted the time for a second");
        system.set(9_000);
        clock.update();
        assertFalse(clock.isTicking());
        assertEquals(9_000, clock.time());
        assertFalse(clock.isTicking(), "asked for once");
        assertEquals(9_000, askOften(clock));
        assertTrue(clock.isTicking());
        assertEquals(2, woken.get());
    }

    @Test
    void shouldNotStartForTheBackground() {
        CachedClock clock = clock();
        assertEquals(5_000, clock.systemTime());
        assertFalse(clock.isTicking());
        assertEquals(0, woken.get());
    }

    @Test
    void shouldNotFallAsleepWhenNobodyCouldHaveItTick() {
        CachedClock clock = new CachedClock(system::get, nanos::get, null);
        assertEquals(5_000, clock.time());
        nanos.addAndGet(1_000_000_000);
        system.set(9_000);
        clock.update();
        assertTrue(clock.isTicking());
        assertEquals(9_000, clock.time());
    }
}
