package io.firn.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class VerifiedRangeTest {
    private final VerifiedRange verified = new VerifiedRange();

    private void assertRange(int from, int to) {
        assertEquals(from, VerifiedRange.from(verified.get()));
        assertEquals(to, VerifiedRange.to(verified.get()));
    }

    @Test
    void shouldBeEmptyAtFirst() {
        assertRange(0, 0);
    }

    @Test
    void shouldGrowAtBothEndsByWhatTouchesIt() {
        verified.add(100, 200);
        assertRange(100, 200);
        verified.add(200, 300);
        assertRange(100, 300);
        verified.add(50, 100);
        assertRange(50, 300);
        verified.add(120, 180);
        assertRange(50, 300);
        verified.add(0, 400);
        assertRange(0, 400);
    }

    @Test
    void shouldKeepTheLongerOneOfTwoThatDoNotTouch() {
        verified.add(100, 200);
        verified.add(300, 350);
        assertRange(100, 200);
        verified.add(300, 500);
        assertRange(300, 500);
    }

    @Test
    void shouldKeepAllThatTheWriterWillStore() {
        verified.add(1_000, Integer.MAX_VALUE);
        verified.add(0, 500);
        assertRange(1_000, Integer.MAX_VALUE);
        verified.add(500, 1_000);
        assertRange(500, Integer.MAX_VALUE);
        verified.add(0, 500);
        assertRange(0, Integer.MAX_VALUE);
    }
}
