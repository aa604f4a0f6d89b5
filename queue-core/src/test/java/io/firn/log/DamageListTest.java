package io.firn.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Partition.DamagedRange;
import io.firn.log.SegmentedLog.DamageList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is known to be damaged in a partition. */
class DamageListTest {
    private final DamageList damage = new DamageList();

    private static DamagedRange range(long from, long to) {
        return new DamagedOffsets(from, to, "test");
    }

    @Test
    void shouldKeepRangesInTheOrderOfTheirOffsets() {
        assertTrue(damage.add(range(20, 30)));
        assertTrue(damage.add(range(0, 10)));
        assertEquals(List.of(range(0, 10), range(20, 30)), damage.all());
    }

    @Test
    void shouldNotAddWhatIsCoveredByAKnownRange() {
        damage.add(range(0, 10));
        assertFalse(damage.add(range(0, 10)));
        assertFalse(damage.add(range(3, 5)));
        assertEquals(List.of(range(0, 10)), damage.all());
    }

    @Test
    void shouldReplaceTheRangesThatANewOneCovers() {
        damage.add(range(2, 4));
        damage.add(range(6, 8));
        damage.add(range(10, 12));
        assertTrue(damage.add(range(0, 9)));
        assertEquals(List.of(range(0, 9), range(10, 12)), damage.all());
    }
}
