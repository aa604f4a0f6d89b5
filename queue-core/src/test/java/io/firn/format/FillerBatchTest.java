package io.firn.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.kafka.KafkaBatches;
import java.nio.ByteBuffer;
import java.util.Iterator;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.Test;

class FillerBatchTest {
    private static final long OFFSET = 5_000_000_000L;
    private static final int EPOCH = 77;
    private static final int AT = 13;

    private final ByteBuffer memory = ByteBuffer.allocate(400);

    @Test
    void shouldBeAnEmptyBatchForKafka() {
        FillerBatch.put(memory, 0, OFFSET, OFFSET + 1_000, EPOCH);
        memory.limit(FillerBatch.LENGTH);

        Iterator<MutableRecordBatch> batches =
                MemoryRecords.readableRecords(memory).batchIterator();
        MutableRecordBatch batch = batches.next();
        batch.ensureValid();
        assertEquals(2, batch.magic());
        assertEquals(OFFSET, batch.baseOffset());
        assertEquals(OFFSET + 999, batch.lastOffset());
        assertEquals(EPOCH, batch.partitionLeaderEpoch());
        assertEquals(0, batch.countOrNull());
        assertFalse(batch.isControlBatch());
        assertFalse(batch.isTransactional());
        assertFalse(batch.isCompressed());
        assertEquals(RecordBatch.NO_TIMESTAMP, batch.maxTimestamp());
        assertEquals(-1, memory.getLong(BatchFormat.BASE_TIMESTAMP));
        assertEquals(RecordBatch.NO_PRODUCER_ID, batch.producerId());
        assertEquals(RecordBatch.NO_PRODUCER_EPOCH, batch.producerEpoch());
        assertEquals(RecordBatch.NO_SEQUENCE, batch.baseSequence());
        assertFalse(batch.iterator().hasNext());
        assertFalse(batches.hasNext());
    }

    @Test
    void shouldChangeItsBytesOnly() {
        for (int i = 0; i < memory.capacity(); i++) {
            memory.put(i, (byte) 9);
        }
        memory.position(5).limit(300);

        FillerBatch.put(memory, AT, OFFSET, OFFSET + 1, EPOCH);

        assertEquals(5, memory.position());
        assertEquals(300, memory.limit());
        assertTrue(FillerBatch.isAt(memory, AT));
        for (int i = 0; i < memory.limit(); i++) {
            if (i < AT || i >= AT + FillerBatch.LENGTH) {
                assertEquals(9, memory.get(i), "byte " + i);
            }
        }
    }

    @Test
    void shouldContinueTheChainOfOffsets() {
        ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(null, new byte[20]);
        int size = batch.remaining();
        assertFalse(FillerBatch.isAt(batch, batch.position()));
        memory.put(AT, batch, batch.position(), size);
        memory.putLong(AT, OFFSET);
        FillerBatch.put(memory, AT + size, OFFSET + 1, OFFSET + 1 + FillerBatch.MOST_OFFSETS, 3);

        BatchWalk walk =
                new BatchWalk(new BatchVerifier())
                        .start(memory, AT, OFFSET, AT + size + FillerBatch.LENGTH);
        assertTrue(walk.nextWhole());
        assertTrue(walk.nextWhole(3));
        assertEquals(OFFSET + 1 + FillerBatch.MOST_OFFSETS, walk.nextOffset());
        assertEquals(AT + size + FillerBatch.LENGTH, walk.nextPosition());
    }

    @Test
    void shouldRefuseARangeThatNoBatchCanCover() {
        for (long offsets : new long[] {-1, 0, FillerBatch.MOST_OFFSETS + 1}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> FillerBatch.put(memory, 0, OFFSET, OFFSET + offsets, EPOCH));
        }
        assertEquals(0, memory.getLong(0));
    }
}
