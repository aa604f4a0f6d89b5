package io.firn.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CachedClockTest {

    /** Where it stood still, forces, marks and cursors that are due by time waited as long. */
    @Test
    void shouldFollowTheSystemsClockForthAndBack() {
        AtomicLong system = new AtomicLong(5_000);
        CachedClock clock = new CachedClock(system::get);
        assertEquals(5_000, clock.time());
        system.set(6_000);
        assertEquals(5_000, clock.time(), "until the next look");
        clock.update();
        assertEquals(6_000, clock.time());
        system.set(1_000);
        clock.update();
        assertEquals(1_000, clock.time());
        system.set(1_001);
        clock.update();
        assertEquals(1_001, clock.time());
    }
}
