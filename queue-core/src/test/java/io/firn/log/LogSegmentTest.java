package io.firn.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.spi.Block;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The life of a segment, when its steps are taken by several threads. */
class LogSegmentTest {
    private Block block;
    private LogSegment segment;

    @BeforeEach
    void create() throws IOException {
        block = InMemory.block(InMemory.tier(), 1);
        segment = new LogSegment(block, 1, new SparseIndex(block.capacity()));
        segment.setWritten(64, 1);
        segment.setForcedEnd(segment.end());
    }

    @Test
    void shouldBeSealedWhenItIsSealedAfterTheRoll() throws IOException {
        segment.roll(1);
        assertFalse(segment.isSealed());
        segment.seal(0);
        assertTrue(segment.isSealed());
        assertEquals(SegmentState.SEALED, block.mark().state());
    }

    /** A forcing thread may see the end offset before the rolling thread enters the next state. */
    @Test
    void shouldBeSealedWhenItIsSealedInTheMiddleOfTheRoll() throws IOException {
        segment.seal(0);
        assertTrue(segment.isSealed());
        segment.roll(1);
        assertTrue(segment.isSealed());
        assertEquals(1, segment.endOffset());
    }

    @Test
    void shouldStayDoomedWhenItIsSealed() throws IOException {
        segment.roll(1);
        assertTrue(segment.doom());
        segment.seal(0);
        assertTrue(segment.isDoomed());
    }
}
