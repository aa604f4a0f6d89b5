package io.firn.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** When steps that failed are tried again. */
class AttemptsTest {
    private static final int FAILURES = 10;
    private static final long SECOND_NS = 1_000_000_000;

    private final Attempts attempts = new Attempts(() -> 0);
    private final BackOff backOff = new BackOff(attempts.clock());

    private void fail(String why) {
        for (int i = 0; i < FAILURES; i++) {
            assertEquals(
                    Attempts.FAILED,
                    attempts.run(
                            "a test",
                            () -> {
                                throw new IOException(why);
                            },
                            backOff));
        }
    }

    @Test
    void shouldTryAgainSoonHoweverLongALackHasLasted() {
        attempts.lackIs(e -> "a lack".equals(e.getMessage()));
        fail("on purpose");
        assertEquals(64 * SECOND_NS, backOff.leftNs());
        fail("a lack");
        assertTrue(backOff.leftNs() < SECOND_NS, backOff.leftNs() + "");
        assertTrue(backOff.isFailing());
        assertEquals(2 * FAILURES, attempts.errors());
    }
}
