package io.firn.compact;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class CompactionTallyTest {
    @Test
    void shouldNameAHundredSegmentsAndCountTheOthers() {
        CompactionTally.SegmentLines segments = new CompactionTally.SegmentLines();
        for (int i = 0; i < 100; i++) {
            segments.add("" + i, "no room");
        }
        assertEquals(100, segments.lines().size());
        assertEquals("7: no room", segments.lines().get(7));
        for (int i = 0; i < 50_000; i++) {
            segments.add("" + i, "no room");
        }
        List<String> lines = segments.lines();
        assertEquals(101, lines.size());
        assertEquals("and 50000 more segments", lines.get(100));
    }
}
