package io.firn.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileMedium;
import io.firn.spi.Mark;
import io.firn.spi.TierInspector.TierRemains;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Segments are shown in the order of their offsets; gaps and overlaps count as wrong. */
class TopicInspectionTest {
    private static final UUID TOPIC = new UUID(1, 2);

    private final Report report = new Report();

    /** A segment of which only the mark is left. */
    private static SegmentFinding segment(long from, long to) {
        Mark mark = Mark.reserved(TOPIC, 0, 5).active(5, from, 0, to);
        return new SegmentFinding(
                        new TierRemains.Remains("segment " + from, mark, "", () -> new byte[0]))
                .look(true);
    }

    /** A sealed segment with as many bytes as its mark says, or one less. */
    private static SegmentFinding sealed(long from, long to, int generation, boolean isWhole) {
        Mark mark =
                Mark.reserved(TOPIC, 0, 5).sealed(5, from, 100, to, 77).inGeneration(generation, 3);
        byte[] bytes = new byte[isWhole ? 100 : 99];
        return new SegmentFinding(new TierRemains.Remains("segment " + from, mark, "", () -> bytes))
                .look(true);
    }

    private List<String> shown(long logStart, SegmentFinding... found) {
        new TopicInspection(new ReadableFiles(FileMedium.real(), report), report)
                .partition(0, logStart, List.of(found));
        List<String> lines = new ArrayList<>(report.lines());
        lines.removeIf(line -> line.contains("DAMAGED"));
        lines.replaceAll(line -> line.strip().replaceAll(".*; ", ""));
        return lines;
    }

    @Test
    void shouldShowSegmentsInTheOrderOfTheirOffsets() {
        assertEquals(
                List.of("partition 0: log start 3", "segment 0", "segment 10", "segment 20"),
                shown(3, segment(20, 30), segment(0, 10), segment(10, 20)));
    }

    @Test
    void shouldNameTheOffsetsThatAreMissing() {
        assertEquals(
                List.of(
                        "partition 0: log start 3",
                        "offsets [3, 5) are MISSING",
                        "segment 5",
                        "offsets [10, 20) are MISSING",
                        "segment 20"),
                shown(3, segment(20, 30), segment(5, 10)));
        assertFalse(report.isSound());
    }

    @Test
    void shouldNameASegmentThatOverlapsTheOneBeforeIt() {
        assertEquals(
                List.of(
                        "partition 0: log start 0",
                        "segment 0",
                        "the next one OVERLAPS the one before it",
                        "segment 9"),
                shown(0, segment(0, 10), segment(9, 12)));
        assertFalse(report.isSound());
    }

    @Test
    void shouldSayWhatCompactionHasReplaced() {
        SegmentFinding rewritten = sealed(0, 20, 2, true);

        List<String> lines = shown(0, sealed(0, 10, 0, true), sealed(10, 20, 1, true), rewritten);

        String replaced = "replaced by compaction, the next open deletes it";
        assertEquals(List.of("partition 0: log start 0", replaced, "segment 0", replaced), lines);
        assertTrue(rewritten.toString().contains("generation 2, compacted to 3"));
    }

    @Test
    void shouldCallNothingReplacedByARewrittenSegmentThatIsNotWhole() {
        List<String> lines = shown(0, sealed(0, 20, 2, false), sealed(10, 20, 0, true));

        assertEquals("the next one OVERLAPS the one before it", lines.get(2));
    }

    @Test
    void shouldFindNothingWrongWithAnEmptyPartition() {
        assertEquals(List.of("partition 0: log start 7"), shown(7));
        assertTrue(report.isSound());
        report.conclude();
        assertEquals("nothing is wrong", report.lines().get(1));
    }

    @Test
    void shouldCountWhatIsWrong() {
        report.flaw("one");
        report.say("two");
        report.flaw("three");
        report.conclude();

        assertEquals(List.of("one", "two", "three", "2 things are wrong"), report.lines());
    }
}
