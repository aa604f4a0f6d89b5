package io.firn.read;

import static io.firn.kafka.SameRecords.assertSame;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.DamagedRangeException;
import io.firn.IsolationLevel;
import io.firn.StoredRecord;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatchRecordsTest {
    private BatchRecords records;

    @ParameterizedTest
    @EnumSource
    void shouldShowTheRecordsOfABatchInEveryCompression(Compression codec) throws IOException {
        List<StoredRecord> expected = new RandomRecords(3).next(0, 0, 20, 500);
        Sealed sealed = Sealed.of(List.of(KafkaBatches.of(codec).encode(expected)));
        BatchCursor cursor = new BatchCursor(sealed.log);
        records =
                new BatchRecords(
                        sealed.log, new ShownBatches(sealed.log, IsolationLevel.READ_COMMITTED));
        View view = cursor.pin();

        records.open(cursor, view);

        assertTrue(cursor.isOpen());
        assertEquals(20, records.nextOffset());
        List<StoredRecord> found = new ArrayList<>();
        while (records.hasNext()) {
            int next = records.show();
            found.add(records.record().copy());
            records.moveTo(next);
        }
        assertSame(expected, found);
        records.close(cursor);
        assertEquals(20, cursor.offset());
        assertEquals(sealed.segment.written(), cursor.position());
        assertFalse(cursor.isOpen());
        cursor.unpin(view);
    }

    @Test
    void shouldContinueWithAnOpenBatchWhoseSegmentIsMappedAgain() throws IOException {
        List<StoredRecord> expected = new RandomRecords(4).next(0, 0, 2, 100);
        Sealed sealed = Sealed.of(List.of(KafkaBatches.of(Compression.NONE).encode(expected)));
        BatchCursor cursor = new BatchCursor(sealed.log);
        records =
                new BatchRecords(
                        sealed.log, new ShownBatches(sealed.log, IsolationLevel.READ_COMMITTED));
        View view = cursor.pin();
        records.open(cursor, view);
        records.moveTo(records.show());
        cursor.unpin(view);
        sealed.segment.detachView().leave();

        View again = cursor.pin();
        records.reopen(again);
        records.show();

        assertSame(expected.subList(1, 2), List.of(records.record().copy()));
        cursor.unpin(again);
    }

    @Test
    void shouldReportABatchThatDoesNotDecompress() throws IOException {
        ByteBuffer batch = KafkaBatches.of(Compression.GZIP).encode(null, new byte[100]);
        batch.putShort(21, (short) Compression.ZSTD.id());
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        crc.update(batch.duplicate().position(21));
        batch.putInt(17, (int) crc.getValue());
        Sealed sealed = Sealed.of(List.of(batch));
        BatchCursor cursor = new BatchCursor(sealed.log);
        records =
                new BatchRecords(
                        sealed.log, new ShownBatches(sealed.log, IsolationLevel.READ_COMMITTED));
        View view = cursor.pin();

        DamagedRangeException e =
                assertThrows(DamagedRangeException.class, () -> records.open(cursor, view));

        assertEquals(0, e.fromOffset());
        assertEquals(1, e.toOffset());
        cursor.unpin(view);
    }
}
