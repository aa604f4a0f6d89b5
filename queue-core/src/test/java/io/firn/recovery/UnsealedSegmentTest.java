package io.firn.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.format.BatchFormat;
import io.firn.log.InMemory;
import io.firn.log.LogSegment;
import io.firn.spi.Block;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How far a segment that was not sealed is accepted after a crash. */
class UnsealedSegmentTest {
    private static final long BASE = 1_000;
    private static final long EPOCH = 42;

    private Block block;
    private ByteBuffer memory;

    @BeforeEach
    void reserve() throws IOException {
        block = InMemory.block(InMemory.tier(), EPOCH);
        memory = block.memory();
    }

    private int put(int at, long offset, long epoch) {
        return InMemory.put(memory, at, offset, epoch, 10);
    }

    private void mark(int position, long offset) throws IOException {
        block.writeMark(block.mark().active(EPOCH, BASE, position, offset));
    }

    private UnsealedSegment find() {
        UnsealedSegment found = UnsealedSegment.find(block, false);
        assertNotNull(found);
        return found;
    }

    @Test
    void shouldFindNothingInABlockWithoutAValidFirstBatch() {
        assertNull(UnsealedSegment.find(block, false));
        put(0, BASE, EPOCH + 1);
        assertNull(UnsealedSegment.find(block, false), "a batch of another epoch is stale");
        put(0, BASE, EPOCH);
        memory.put(BatchFormat.HEADER_LENGTH, (byte) ~memory.get(BatchFormat.HEADER_LENGTH));
        assertNull(UnsealedSegment.find(block, false), "a torn batch is not valid");
    }

    @Test
    void shouldTakeTheBaseOffsetOfAReservedBlockFromItsFirstBatch() {
        int end = put(put(0, BASE, EPOCH), BASE + 10, EPOCH);

        UnsealedSegment found = find();

        assertEquals(BASE, found.baseOffset());
        assertEquals(end, found.cut());
        assertEquals(BASE + 20, found.endOffset());
        assertEquals(end, found.acceptedBytes());
    }

    @Test
    void shouldCutAtTheFirstBatchAboveTheMarkThatIsNotTheNextOne() throws IOException {
        int marked = put(0, BASE, EPOCH);
        mark(marked, BASE + 10);
        int accepted = put(marked, BASE + 10, EPOCH);

        put(accepted, BASE + 20, EPOCH - 1);
        assertEquals(accepted, find().cut(), "another epoch");
        put(accepted, BASE + 30, EPOCH);
        assertEquals(accepted, find().cut(), "another offset");
        int end = put(accepted, BASE + 20, EPOCH);
        memory.put(end - 1, (byte) ~memory.get(end - 1));
        assertEquals(accepted, find().cut(), "torn");
        memory.put(end - 1, (byte) ~memory.get(end - 1));

        UnsealedSegment found = find();
        assertEquals(end, found.cut());
        assertEquals(BASE + 30, found.endOffset());
        assertEquals(end - marked, found.acceptedBytes());
        assertTrue(found.damage.isEmpty(), found.damage::toString);
    }

    @Test
    void shouldReportCorruptionBelowTheMarkAndCutNothingThere() throws IOException {
        int first = put(0, BASE, EPOCH);
        int second = put(first, BASE + 10, EPOCH);
        int third = put(second, BASE + 20, EPOCH);
        mark(third, BASE + 30);
        memory.putInt(first + BatchFormat.LENGTH, 5);

        UnsealedSegment found = find();

        assertEquals(third, found.cut());
        assertEquals(BASE + 30, found.endOffset());
        assertEquals(1, found.damage.size());
        assertEquals(BASE + 10, found.damage.get(0).fromOffset());
        assertEquals(BASE + 20, found.damage.get(0).toOffset());
    }

    @Test
    void shouldClearWhatItCutSoThatTheNextOpenReportsNothing() throws IOException {
        int accepted = put(0, BASE, EPOCH);
        int end = put(accepted, BASE + 10, EPOCH);
        memory.put(end - 1, (byte) ~memory.get(end - 1));
        UnsealedSegment found = find();
        assertEquals(end - accepted, found.unprovenBytes());

        found.makeDurable();

        assertEquals(0, find().unprovenBytes());
        for (int i = accepted; i < end; i++) {
            assertEquals(0, memory.get(i), "position " + i);
        }
    }

    @Test
    void shouldClearAllThatFollowsTheBeginningOfATornBatch() throws IOException {
        int accepted = put(0, BASE, EPOCH);
        int far = 10_000;
        memory.put(accepted, (byte) 1);
        memory.put(far, (byte) 1);

        UnsealedSegment found = find();
        assertEquals(far + 1 - accepted, found.unprovenBytes());
        found.makeDurable();

        assertEquals(0, memory.get(far));
    }

    /** Reading a hole takes memory, and what is there has an older epoch than what follows. */
    @Test
    void shouldLookNoFurtherWhenNoBatchBeginsWhereItCut() {
        int end = put(0, BASE, EPOCH);
        memory.put(end + LogSegment.TAIL_ZEROS, (byte) 1);
        memory.put(10_000, (byte) 1);

        assertEquals(0, find().unprovenBytes());
    }

    @Test
    void shouldGoOnUnderAFreshEpochAndNoOther() throws IOException {
        int end = put(0, BASE, EPOCH);

        LogSegment segment = find().continueWriting(EPOCH + 1);

        assertEquals(BASE, segment.baseOffset());
        assertEquals(end, segment.written());
        assertEquals(EPOCH + 1, block.mark().epoch());
        assertEquals(end, block.mark().position());
        put(end, BASE + 10, EPOCH);
        assertEquals(end, find().cut(), "what the writer before the crash stored does not count");
        put(end, BASE + 10, EPOCH + 1);
        assertEquals(BASE + 20, find().endOffset());
    }

    @Test
    void shouldSealAtTheCut() throws IOException {
        int end = put(0, BASE, EPOCH);

        LogSegment segment = find().seal(77);

        assertEquals(SegmentState.SEALED, block.mark().state());
        assertEquals(77, block.mark().sealTimeMs());
        assertEquals(end, block.capacity());
        assertTrue(segment.isSealed());
        assertEquals(BASE + 10, segment.endOffset());
    }

    /**
     * The segment of before has whole batches behind the end of this one, and where that began with
     * the same lengths, they begin exactly where the next ones would.
     */
    @Test
    void shouldTakeNoBatchOfAnEarlierSegmentForItsOwnWhateverBitIsFlipped() throws IOException {
        int[] ends = new int[8];
        int stale = 0;
        for (int i = 0; stale < block.capacity() - 8_192; i++) {
            stale = put(stale, BASE - 900 + 10L * i, EPOCH - 1);
        }
        int end = 0;
        for (int i = 0; i < ends.length; i++) {
            end = put(end, BASE + 10L * i, EPOCH);
            ends[i] = end;
        }
        int marked = ends[3];
        mark(marked, BASE + 40);
        byte[] before = new byte[block.capacity()];
        memory.get(0, before);
        assertEquals(end, find().cut());
        for (int at = 0; at < stale; at++) {
            for (int bit = 0; bit < 8; bit++) {
                memory.put(at, (byte) (before[at] ^ 1 << bit));
                UnsealedSegment found = find();
                int least = at < marked || at >= end ? end : startOf(at, ends);
                // The offset and the epoch of a batch are not in its checksum: they are compared.
                boolean isRight = found.cut() == least && found.endOffset() == offset(least, ends);
                assertTrue(isRight, "bit " + bit + " of byte " + at + ": cut " + found.cut());
                assertEquals(BASE, found.baseOffset());
            }
            memory.put(at, before[at]);
        }
    }

    private static int startOf(int at, int[] ends) {
        int start = 0;
        for (int end : ends) {
            if (end <= at) {
                start = end;
            }
        }
        return start;
    }

    private static long offset(int cut, int[] ends) {
        long offset = BASE;
        for (int end : ends) {
            if (end <= cut) {
                offset += 10;
            }
        }
        return offset;
    }
}
