package io.firn.shadow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class FetchRateTest {
    private static final long SECOND_NS = 1_000_000_000;

    @Test
    void shouldWaitAsLongAsTheBytesTake() {
        FetchRate rate = new FetchRate(1_000_000);
        assertEquals(0, rate.waitMs(5));
        rate.take(2_000_000, 5);
        assertEquals(2000, rate.waitMs(5));
        assertEquals(500, rate.waitMs(5 + SECOND_NS * 3 / 2));
        assertEquals(0, rate.waitMs(5 + SECOND_NS * 2));
    }

    @Test
    void shouldNotSaveUpATimeWithoutFetches() {
        FetchRate rate = new FetchRate(1_000_000);
        rate.take(1, 0);
        rate.take(1_000_000, SECOND_NS * 60);
        assertEquals(1000, rate.waitMs(SECOND_NS * 60));
    }

    @Test
    void shouldAskForPiecesOfASecond() {
        assertEquals(250_000, new FetchRate(1_000_000).mostBytes());
        assertTrue(new FetchRate(1).mostBytes() > 1, "a batch has to fit");
        assertEquals(Integer.MAX_VALUE, new FetchRate(FetchRate.UNLIMITED).mostBytes());
        assertEquals(Integer.MAX_VALUE, new FetchRate(Long.MAX_VALUE).mostBytes());
    }

    @Test
    void shouldNotWaitWithoutALimit() {
        FetchRate rate = new FetchRate(FetchRate.UNLIMITED);
        rate.take(Integer.MAX_VALUE, 0);
        assertEquals(0, rate.waitMs(0));
    }
}
