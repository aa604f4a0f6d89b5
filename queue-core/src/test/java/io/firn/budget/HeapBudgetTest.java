package io.firn.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HeapBudgetTest {
    @Test
    void shouldLeaveTwoFifthsOfTheHeapToWhatWorksBesideTheLimits() {
        double percent = HeapBudget.totalPercent();
        assertTrue(percent <= HeapBudget.MOST_PERCENT, percent + " %");
        for (long heap = 64L << 20; heap <= 64L << 30; heap *= 2) {
            long size = heap;
            long sum = Stream.of(HeapBudget.values()).mapToLong(each -> each.bytesOf(size)).sum();
            assertTrue(sum <= heap * 6 / 10, sum + " of " + heap);
        }
    }

    @Test
    void shouldCountWhatFitsIntoAShareWithinLimits() {
        int fitting = HeapBudget.PRODUCERS.count(1, Integer.MAX_VALUE);
        assertEquals(HeapBudget.PRODUCERS.bytes() / 256, fitting);
        assertEquals(7, HeapBudget.PRODUCERS.count(1, 7));
        assertEquals(fitting + 7, HeapBudget.PRODUCERS.count(fitting + 7, Integer.MAX_VALUE));
        assertEquals(256L << 32, HeapBudget.PRODUCERS.bytesOfCount(1L << 32));
    }
}
