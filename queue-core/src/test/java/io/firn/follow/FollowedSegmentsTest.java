package io.firn.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.log.InMemory;
import io.firn.log.LogEvents;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.spi.Block;
import io.firn.spi.MemoryTier;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a read-only store shows of a log whose segments it finds one look after another. */
class FollowedSegmentsTest {
    private static final int LOOKS = 100;

    private final FollowedSegments followed = new FollowedSegments(new BatchesAboveMark());
    private MemoryTier tier;
    private SegmentedLog log;

    @BeforeEach
    void open() throws IOException {
        tier = InMemory.tier();
        log = InMemory.log(tier);
        log.topic().files().create("t", InMemory.small());
        log.connect(
                nobody(LogEvents.ForceWaiters.class),
                nobody(LogEvents.AppendAlarm.class),
                nobody(LogEvents.class));
    }

    private static <T> T nobody(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(), new Class<?>[] {type}, (self, method, all) -> null));
    }

    private Block sealed(long epoch, long base, int records) throws IOException {
        Block block = InMemory.block(tier, epoch);
        int end = InMemory.put(block.memory(), 0, base, epoch, records);
        block.seal(block.mark().sealed(epoch, base, end, base + records, 1));
        return block;
    }

    @Test
    void shouldShowNothingUntilASegmentIsFoundThatTheFirstLookMissed() throws IOException {
        Block first = sealed(1, 0, 10);
        Block second = sealed(2, 10, 10);
        followed.refresh(log, List.of(second));
        assertTrue(followed.missing().isAtGap());
        assertEquals(0, log.nextOffset());
        assertEquals(0, log.segments().length);
        followed.refresh(log, List.of(first, second));
        assertFalse(followed.missing().isAtGap());
        assertEquals(20, log.nextOffset());
        assertEquals(2, log.segments().length);
    }

    @Test
    void shouldShowWhatIsThereWhenTheFirstSegmentStaysMissing() throws IOException {
        Block second = sealed(2, 10, 10);
        for (int i = 0; i < LOOKS && (i == 0 || followed.missing().isAtGap()); i++) {
            followed.refresh(log, List.of(second));
        }
        assertFalse(followed.missing().isAtGap());
        assertEquals(20, log.nextOffset());
        assertEquals(1, log.segments().length);
    }

    /** Retention goes on while one look follows another, so the first segment is a new one. */
    @Test
    void shouldShowNoGapWhenALookMissesTheFirstSegmentThatRetentionHasLeft() throws IOException {
        followed.refresh(log, List.of(sealed(1, 0, 10)));
        log.topic().files().writeLogStart(0, 10);
        Block second = sealed(2, 10, 10);
        Block third = sealed(3, 20, 10);
        followed.refresh(log, List.of(third));
        assertEquals(10, log.logStartOffset());
        assertEquals(10, log.nextOffset(), "a tailer at 10 would find no segment");
        assertTrue(followed.missing().isAtGap());
        followed.refresh(log, List.of(second, third));
        assertEquals(30, log.nextOffset());
        assertEquals(10, log.segmentFor(10).baseOffset());
        assertFalse(followed.missing().isAtGap());
    }

    @Test
    void shouldKeepASegmentThatSeveralLooksMissAndLetItGoAfterAWhile() throws IOException {
        Block first = sealed(1, 0, 10);
        Block second = sealed(2, 10, 10);
        followed.refresh(log, List.of(first, second));
        for (int i = 0; i < 3; i++) {
            followed.refresh(log, List.of(second));
            assertEquals(0, log.segmentFor(0).baseOffset());
        }
        followed.refresh(log, List.of(first, second));
        assertEquals(2, log.segments().length);
        for (int i = 0; i < LOOKS; i++) {
            followed.refresh(log, List.of(second));
        }
        assertEquals(1, log.segments().length);
    }

    /** A reader sees the end that the writer has published while a look misses the segment. */
    @Test
    void shouldNotEndASegmentThatALookMissesWhereItWasKnownToEnd() throws IOException {
        Block first = InMemory.block(tier, 1);
        int at = InMemory.put(first.memory(), 0, 0, 1, 10);
        first.writeMark(first.mark().active(1, 0, at, 10));
        followed.refresh(log, List.of(first));
        LogSegment segment = log.segmentFor(9);
        int end = InMemory.put(first.memory(), at, 10, 1, 1);
        Block second = sealed(2, 11, 10);
        followed.refresh(log, List.of(second));
        assertTrue(followed.missing().isAtGap());
        segment.raiseEnd(end, 11);
        log.publishSeen(0, 11, 11);
        assertEquals(segment, log.segmentFor(10));
        followed.refresh(log, List.of(second));
        assertFalse(followed.missing().isAtGap());
        assertEquals(21, log.nextOffset());
        assertEquals(segment, log.segmentFor(10));
        first.seal(first.mark().sealed(1, 0, end, 11, 1));
        followed.refresh(log, List.of(first, second));
        assertEquals(2, log.segments().length);
        assertEquals(segment, log.segmentFor(10));
        assertFalse(followed.missing().isAny());
    }

    @Test
    void shouldLetASegmentGoAtOnceThatRetentionHasDeleted() throws IOException {
        Block second = sealed(2, 10, 10);
        followed.refresh(log, List.of(sealed(1, 0, 10), second));
        log.topic().files().writeLogStart(0, 10);
        followed.refresh(log, List.of(second));
        assertEquals(1, log.segments().length);
        assertEquals(10, log.logStartOffset());
    }
}
