package io.firn.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.kafka.KafkaBatches;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three batches of one record each, which a walk steps over. */
class BatchWalkTest {
    private static final int FROM = 40;
    private static final int EPOCH = 3;
    private static final long OFFSET = 5_000_000_000L;
    private static final int COUNT = 3;

    private final ByteBuffer memory = ByteBuffer.allocate(4_096);
    private final int[] positions = new int[COUNT + 1];
    private final BatchWalk walk = new BatchWalk(new BatchVerifier());

    @BeforeEach
    void store() {
        int at = FROM;
        for (int i = 0; i < COUNT; i++) {
            positions[i] = at;
            ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(null, new byte[100 + i]);
            int size = batch.remaining();
            memory.put(at, batch, batch.position(), size);
            memory.putLong(at + BatchFormat.BASE_OFFSET, OFFSET + i);
            memory.putInt(at + BatchFormat.EPOCH, EPOCH);
            at += size;
        }
        positions[COUNT] = at;
        walk.start(memory, FROM, OFFSET, memory.capacity());
    }

    @Test
    void shouldStepFromBatchToBatchAndStayWhereItCannotStepOn() {
        assertFalse(walk.isAtBatch());
        for (int i = 0; i < COUNT; i++) {
            assertTrue(i % 2 == 0 ? walk.next() : walk.nextWhole());
            assertEquals(positions[i], walk.position());
            assertEquals(positions[i + 1] - positions[i], walk.size());
            assertEquals(OFFSET + i, walk.baseOffset());
            assertEquals(EPOCH, walk.epochBits());
            assertEquals(positions[i + 1], walk.nextPosition());
            assertEquals(OFFSET + i + 1, walk.nextOffset());
        }

        assertFalse(walk.next());
        assertFalse(walk.next());
        assertEquals("length", walk.reason());
        assertTrue(walk.isAtBatch());
        assertTrue(walk.isWhole());
        assertEquals(positions[COUNT - 1], walk.position());
        assertEquals(positions[COUNT], walk.nextPosition());
        assertFalse(walk.isAtEnd(), "more room, and the last offset is unknown");
    }

    @Test
    void shouldStopAtTheEndByPositionAndByOffset() {
        walk.start(memory, FROM, OFFSET, positions[COUNT], OFFSET + COUNT);
        assertSteps(COUNT);
        assertTrue(walk.isAtEnd());

        walk.start(memory, FROM, OFFSET, positions[COUNT] - 1, OFFSET + COUNT);
        assertSteps(COUNT - 1);
        assertFalse(walk.isAtEnd());
        assertEquals("length", walk.reason());

        walk.start(memory, FROM, OFFSET, positions[COUNT], OFFSET + 1);
        assertSteps(1);
        assertFalse(walk.isAtEnd());
        assertEquals("bytes after the last offset", walk.reason());
    }

    @Test
    void shouldNotStepOverABatchWhoseLastOffsetIsAfterTheEnd() {
        memory.putInt(positions[1] + BatchFormat.LAST_OFFSET_DELTA, 2);
        walk.start(memory, FROM, OFFSET, positions[COUNT], OFFSET + COUNT);

        assertSteps(1);
        assertEquals("last offset", walk.reason());
    }

    @Test
    void shouldRequireTheNextOffset() {
        memory.putLong(positions[1], OFFSET + 2);

        assertSteps(1);
        assertEquals("base offset", walk.reason());

        walk.goTo(positions[1], OFFSET + 2);
        assertFalse(walk.isAtBatch());
        assertTrue(walk.nextWhole(), "the CRC does not cover the offset");
    }

    @Test
    void shouldRequireAValidCrcOnlyOfWholeBatches() {
        memory.put(positions[1] + 80, (byte) 1);

        assertTrue(walk.nextWhole());
        assertFalse(walk.nextWhole());
        assertEquals("CRC", walk.reason());
        assertFalse(walk.nextWhole(EPOCH));
        assertTrue(walk.next());
        assertFalse(walk.isWhole());
        assertTrue(walk.nextWhole());
    }

    @Test
    void shouldRequireTheEpochOnlyIfOneIsGiven() {
        memory.putInt(positions[1] + BatchFormat.EPOCH, EPOCH - 1);

        assertTrue(walk.nextWhole(EPOCH));
        assertFalse(walk.nextWhole(EPOCH));
        assertEquals("epoch", walk.reason());
        assertFalse(walk.nextHeader(EPOCH));
        assertEquals(positions[0], walk.position());
        assertTrue(walk.nextWhole(BatchWalk.ANY_EPOCH));
        assertTrue(walk.nextHeader(EPOCH));
    }

    @Test
    void shouldReadNothingBehindAHeader() {
        byte[] marker = MarkerBatch.encode(7, 0, true, 0, 0);
        memory.put(FROM, marker, 0, BatchFormat.HEADER_LENGTH); // the rest is not there yet
        memory.putLong(FROM, OFFSET);
        memory.putInt(FROM + BatchFormat.EPOCH, EPOCH);

        assertFalse(walk.next());
        assertTrue(walk.nextHeader(EPOCH));
        assertEquals(marker.length, walk.size());
    }

    private void assertSteps(int count) {
        for (int i = 0; i < count; i++) {
            assertTrue(walk.next(), "batch " + i);
        }
        assertFalse(walk.next());
    }
}
