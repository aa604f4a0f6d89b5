package io.firn.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** How far ahead space is prepared goes with the rate of appends, and has bounds. */
class SpaceWindowTest {
    private static final int KIB = 1024;
    private static final int MIB = KIB * KIB;
    private static final int SHARE = 64 * MIB;

    private final PreparedSpace.SpaceWindow window = new PreparedSpace.SpaceWindow();
    private long now = 1_000_000;

    private int askAfter(int ms, int written) {
        now += ms;
        return window.ask(now, written, SHARE);
    }

    @Test
    void shouldDoubleWhileSpaceIsAskedForAgainSoon() {
        assertEquals(64 * KIB, askAfter(0, 100 * MIB));
        assertFalse(window.isWide());
        assertEquals(128 * KIB, askAfter(99, 100 * MIB));
        assertEquals(256 * KIB, askAfter(0, 100 * MIB));
        assertTrue(window.isWide());
        assertEquals(256 * KIB, askAfter(100, 100 * MIB));
        assertEquals(256 * KIB, askAfter(10_000, 100 * MIB));
    }

    @Test
    void shouldStayWithinTheShareAndHalveWhenItIsSeldomAskedFor() {
        for (int i = 0; i < 20; i++) {
            askAfter(1, 1000 * MIB);
        }
        assertEquals(SHARE, askAfter(1, 1000 * MIB));
        assertEquals(MIB, window.ask(now, 1000 * MIB, MIB));
        assertEquals(2 * MIB, askAfter(0, 1000 * MIB));
        assertEquals(MIB, askAfter(10_001, 1000 * MIB));
        for (int i = 0; i < 20; i++) {
            askAfter(10_001, 1000 * MIB);
        }
        assertEquals(64 * KIB, askAfter(10_001, 1000 * MIB));
    }

    @Test
    void shouldPrepareNoMoreThanWasAppended() {
        for (int i = 0; i < 20; i++) {
            askAfter(1, 300 * KIB);
        }
        assertEquals(300 * KIB, askAfter(1, 300 * KIB));
        window.roll(MIB, 0);
        assertEquals(600 * KIB, askAfter(1, 0));
        assertEquals(MIB, askAfter(1, 0));
    }

    @Test
    void shouldPrepareWhatTheOptionsWantAtLeast() {
        window.roll(0, 5 * MIB);
        assertTrue(window.isWide());
        assertEquals(5 * MIB, askAfter(0, 10 * MIB));
        for (int i = 0; i < 20; i++) {
            askAfter(1, 10 * MIB);
        }
        assertEquals(10 * MIB, askAfter(1, 10 * MIB));
        window.roll(10 * MIB, 0);
        assertEquals(0, window.fixed());
    }

    /** A clock that is set back must not undo anything. */
    @Test
    void shouldStayInBoundsWhenTheClockIsSetBack() {
        assertEquals(64 * KIB, askAfter(0, MIB));
        assertEquals(128 * KIB, window.ask(Long.MIN_VALUE / 2, MIB, SHARE));
    }
}
