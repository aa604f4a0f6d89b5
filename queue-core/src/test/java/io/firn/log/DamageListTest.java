package io.firn.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.PartitionReader.DamagedRange;
import io.firn.findings.Findings;
import io.firn.findings.Subject;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is known to be damaged in a partition. */
class DamageListTest {
    private final Findings findings = new Findings();
    private final DamageList damage = new DamageList(Subject.partition(null, "t", 0), findings);

    private static DamagedRange range(long from, long to) {
        return new DamagedOffsets(from, to, "test");
    }

    @Test
    void shouldKeepRangesInTheOrderOfTheirOffsets() {
        damage.add(range(20, 30));
        damage.add(range(0, 10));
        assertEquals(List.of(range(0, 10), range(20, 30)), damage.all());
    }

    @Test
    void shouldNotAddWhatIsCoveredByAKnownRange() {
        damage.add(range(0, 10));
        damage.add(range(0, 10));
        damage.add(range(3, 5));
        assertEquals(List.of(range(0, 10)), damage.all());
    }

    @Test
    void shouldReplaceTheRangesThatANewOneCovers() {
        damage.add(range(2, 4));
        damage.add(range(6, 8));
        damage.add(range(10, 12));
        damage.add(range(0, 9));
        assertEquals(List.of(range(0, 9), range(10, 12)), damage.all());
        assertEquals(List.of(10L, 0L), foundAt());
    }

    private List<Long> foundAt() {
        return findings.all().stream().map(each -> each.fromOffset().orElseThrow()).toList();
    }

    @Test
    void shouldEndTheFindingsOfWhatIsCutOffOrDeleted() {
        damage.add(range(0, 10));
        damage.add(range(20, 30));
        damage.add(range(40, 50));
        damage.dropBelow(10);
        damage.dropFrom(40);
        assertEquals(List.of(range(20, 30)), damage.all());
        assertEquals(List.of(20L), foundAt());
    }
}
