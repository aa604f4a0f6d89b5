package io.firn.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.firn.spi.MemoryTier;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which segment of a list holds an offset, while a look of a read-only store changes the list. */
class SegmentListTest {
    private MemoryTier tier;
    private long epochs;

    @BeforeEach
    void open() throws IOException {
        tier = InMemory.tier();
    }

    private LogSegment segment(long base, long end) {
        LogSegment segment = new LogSegment(InMemory.block(tier, ++epochs), base);
        segment.roll(end);
        return segment;
    }

    @Test
    void shouldFindNothingAtOrAboveTheEndOfSealedSegments() {
        SegmentList list = new SegmentList(List.of(segment(0, 10), segment(10, 20)));
        assertSame(list.all()[1], list.find(19));
        assertSame(null, list.find(20));
    }

    /**
     * Its block was found anew, under another name, and is another object until its end is known.
     */
    @Test
    void shouldNotFindASegmentOfUnknownEndBesideTheOneThatTakesItsPlace() {
        LogSegment before = segment(0, LogSegment.OPEN);
        LogSegment[] found = {segment(0, 100), segment(100, 200), segment(200, LogSegment.OPEN)};
        SegmentList list = new SegmentList(List.of(before));
        list.addMissing(found);
        assertSame(found[0], list.find(99));
        assertSame(found[1], list.find(150));
        assertSame(found[2], list.find(200));
    }

    /** They go when the log start was raised, so that an offset in range is never without one. */
    @Test
    void shouldKeepSegmentsThatWereNotFoundUntilTheListIsReplaced() {
        LogSegment oldest = segment(0, 10);
        LogSegment second = segment(10, LogSegment.OPEN);
        LogSegment third = segment(20, LogSegment.OPEN);
        SegmentList list = new SegmentList(List.of(oldest, second));
        second.roll(20);
        list.addMissing(new LogSegment[] {second, third});
        assertArrayEquals(new LogSegment[] {oldest, second, third}, list.all());
        list.replace(new LogSegment[] {second, third});
        assertArrayEquals(new LogSegment[] {second, third}, list.all());
    }
}
