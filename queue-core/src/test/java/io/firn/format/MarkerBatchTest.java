package io.firn.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MarkerBatchTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBeWhatKafkaMakes(boolean isCommit) {
        ControlRecordType type = isCommit ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
        MemoryRecords expected =
                MemoryRecords.withEndTransactionMarker(
                        0, 1_700L, 0, 77, (short) 3, new EndTransactionMarker(type, 12));
        byte[] marker = MarkerBatch.encode(77, 3, isCommit, 12, 1_700);

        assertEquals(expected.buffer(), ByteBuffer.wrap(marker));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSayWhatItIs(boolean isCommit) {
        ByteBuffer marker = ByteBuffer.wrap(MarkerBatch.encode(7, 0, isCommit, 1 << 30, 5));

        assertTrue(MarkerBatch.isAt(marker, 0));
        assertEquals(isCommit, MarkerBatch.isCommit(marker, 0));
        assertEquals(1 << 30, MarkerBatch.decision(marker, 0));
    }

    @Test
    void shouldNotTakeABatchThatCompactionHasEmptiedForAMarker() {
        ByteBuffer filler = ByteBuffer.allocate(FillerBatch.LENGTH);
        FillerBatch.put(filler, 0, 5, 6, 1);

        assertFalse(MarkerBatch.isAt(filler, 0));
    }
}
