package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Whose requests are not decoded, because others took long. */
class DecodeThrottleTest {
    private static final long MS = 1_000_000;
    private static final int LARGE = 1 << 20;

    private final DecodeThrottle pauses = new DecodeThrottle();

    @Test
    void shouldLetLargeRequestsOfAClientWaitTenTimesAsLongAsItsLastOneTook() {
        pauses.took("a", 50 * MS, 0);
        assertTrue(pauses.hasToWait("a", LARGE, 499 * MS));
        assertFalse(pauses.hasToWait("a", LARGE, 500 * MS));
        assertFalse(pauses.hasToWait("a", 1_000, 0), "a small one");
        assertFalse(pauses.hasToWait("b", LARGE, 0), "another client");
    }

    @Test
    void shouldWaitForTheLongestOfSeveralAndForTwoSecondsAtMost() {
        pauses.took("a", 90_000 * MS, 0);
        pauses.took("a", 30 * MS, 0);
        assertTrue(pauses.hasToWait("a", LARGE, 1_999 * MS));
        assertFalse(pauses.hasToWait("a", LARGE, 2_000 * MS));
    }

    @Test
    void shouldRememberNobodyWhoseRequestsAreDecodedQuicklyOrWhosePauseIsOver() {
        pauses.took("quick", 20 * MS, 0);
        assertEquals(0, pauses.size());
        for (int i = 0; i < 1_000; i++) {
            pauses.took("client " + i, 30 * MS, 300L * i * MS);
        }
        assertEquals(1, pauses.size());
    }
}
