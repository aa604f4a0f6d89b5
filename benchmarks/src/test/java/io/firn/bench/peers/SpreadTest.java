package io.firn.bench.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void shouldGiveTheMiddleOfAnOddNumberOfRunsAndTheQuartiles() {
        assertEquals(new Spread(5, 2, 3, 4), Spread.of(List.of(5.0, 1.0, 4.0, 2.0, 3.0)));
    }

    @Test
    void shouldInterpolateBetweenTheTwoMiddleRunsOfAnEvenNumber() {
        assertEquals(new Spread(4, 1.75, 2.5, 3.25), Spread.of(List.of(4.0, 3.0, 2.0, 1.0)));
    }

    @Test
    void shouldGiveOneRunAsAllThree() {
        assertEquals(new Spread(1, 7, 7, 7), Spread.of(List.of(7.0)));
    }

    @Test
    void shouldHaveNoMedianWithoutRuns() {
        assertTrue(Double.isNaN(Spread.of(List.of()).median()));
    }
}
