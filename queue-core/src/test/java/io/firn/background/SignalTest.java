package io.firn.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Waits that last long miss no wake-up. */
class SignalTest {
    private static final long LONG_NS = 100_000_000;

    private final Signal signal = new Signal();

    @Test
    void shouldNotWaitForAWakeUpThatCameSinceTheLastCheck() throws InterruptedException {
        signal.enter();
        int counted = signal.wakeUps();
        signal.wake();
        Thread.currentThread().interrupt(); // a wait would throw
        assertTrue(signal.await(counted, LONG_NS));
        assertThrows(InterruptedException.class, () -> signal.await(signal.wakeUps(), LONG_NS));
        signal.leave();
    }

    @Test
    void shouldCountNoWakeUpForWhichNobodyWaits() throws InterruptedException {
        int counted = signal.wakeUps();
        signal.wake();
        assertFalse(signal.await(counted, 1));
    }

    @Test
    void shouldWaitLongerFromTimeToTime() {
        long first = Signal.nextNs(0);
        assertEquals(1_000_000, first);
        assertEquals(2_000_000, Signal.nextNs(first));
        long waited = first;
        int waits = 1;
        for (long total = first; total < 60_000_000_000L; total += waited, waits++) {
            waited = Signal.nextNs(waited);
        }
        assertTrue(waits < 25, "waits of a minute: " + waits);
    }
}
