package io.firn.format;

import static io.firn.kafka.SameRecords.assertSame;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.LogRecord;
import io.firn.StoredRecord;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.kafka.SeededTest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordFlyweightTest {
    private static final long APPEND_TIME = 123_456;

    @SeededTest
    void shouldShowWhatKafkaWrote(long seed) {
        List<StoredRecord> records = new RandomRecords(seed).next(3, 0, 300, 20_000);
        ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(records);

        assertSame(records, show(batch, false));
    }

    /** The shape of the record before must make no difference to what a record shows. */
    @SeededTest
    void shouldShowTheSameAfterWhateverRecord(long seed) {
        RandomRecords random = new RandomRecords(seed);
        RecordFlyweight used = new RecordFlyweight();
        for (int i = 0; i < 3_000; i++) {
            byte[] bytes = random.bytes(40);
            // Mostly like a record of 15 bytes without key and headers, then anything.
            byte[] plain = {30, 0, 2, 2, 1, 18, 9, 9, 9, 9, 9, 9, 9, 9, 9, 0};
            System.arraycopy(plain, 0, bytes, 0, plain.length);
            for (int hits = random.random().nextInt(3); hits > 0; hits--) {
                bytes[random.random().nextInt(plain.length)] = (byte) random.random().nextInt(256);
            }
            int end = random.random().nextInt(5) == 0 ? random.random().nextInt(40) : 40;
            int last = random.random().nextInt(3);
            RecordFlyweight fresh = new RecordFlyweight();
            for (RecordFlyweight each : List.of(used, fresh)) {
                each.wrap(ByteBuffer.wrap(bytes));
                each.batch(0, 5, 5 + last, 1_000, i % 7 == 0, end);
            }
            int next = fresh.show(0);
            assertEquals(next, used.show(0));
            if (next >= 0) {
                assertSame(List.of(fresh.copy()), List.of(used.copy()));
            }
        }
    }

    @Test
    void shouldShowTheLogsTimeWhereTheBatchSaysSo() {
        List<StoredRecord> records = new RandomRecords(1).next(3, 0, 10, 100);
        ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(records);

        show(batch, true).forEach(record -> assertEquals(APPEND_TIME, record.timestamp()));
    }

    @Test
    void shouldGiveViewsWithoutCopying() {
        RecordFlyweight record = new RecordFlyweight();
        byte[] key = "key".getBytes(StandardCharsets.UTF_8);
        byte[] value = "the value".getBytes(StandardCharsets.UTF_8);
        ByteBuffer batch =
                KafkaBatches.of(Compression.NONE)
                        .encode(
                                List.of(
                                        new StoredRecord(0, 0, 1, key, value, List.of()),
                                        new StoredRecord(0, 1, 1, null, null, List.of())));
        record.wrap(batch);
        record.batch(0, 0, 2, 1, false, batch.limit());
        int second = record.show(BatchFormat.HEADER_LENGTH);

        ByteBuffer view = record.value();
        assertTrue(view.isReadOnly());
        assertTrue(record.key().isReadOnly());
        assertSame(view, record.value());
        assertEquals(ByteBuffer.wrap(key), record.key());
        assertEquals(ByteBuffer.wrap(value), view);
        assertEquals(3, record.keyLength());
        assertEquals(9, record.valueLength());
        byte[] target = new byte[12];
        record.getValue(target, 2);
        assertArrayEquals("\0\0the value\0".getBytes(StandardCharsets.UTF_8), target);

        assertEquals(batch.limit(), record.show(second));
        assertFalse(record.hasKey());
        assertFalse(record.hasValue());
        assertNull(record.key());
        assertNull(record.value());
        assertEquals(-1, record.keyLength());
        assertEquals(-1, record.valueLength());
        record.getValue(target, 2);
        assertEquals(0, record.copy().headers().size());
    }

    @Test
    void shouldWalkOverHeadersFromTheFirstEachTime() {
        List<StoredRecord.Header> headers =
                List.of(
                        new StoredRecord.Header("a", new byte[] {1}),
                        new StoredRecord.Header("", null),
                        new StoredRecord.Header("ü", new byte[0]));
        ByteBuffer batch =
                KafkaBatches.of(Compression.NONE)
                        .encode(List.of(new StoredRecord(0, 0, 1, null, new byte[5], headers)));
        RecordFlyweight record = new RecordFlyweight();
        record.wrap(batch);
        record.batch(0, 0, 2, 1, false, batch.limit());
        record.show(BatchFormat.HEADER_LENGTH);

        for (int i = 0; i < 2; i++) {
            LogRecord.Headers walk = record.headers();
            assertEquals(3, record.headerCount());
            assertTrue(walk.next());
            assertEquals("a", walk.key());
            assertEquals(ByteBuffer.wrap(new byte[] {1}), walk.value());
            assertTrue(walk.next());
            assertEquals("", walk.key());
            assertNull(walk.value());
            assertTrue(walk.next());
            assertEquals("ü", walk.key());
            assertEquals(0, walk.value().remaining());
            assertFalse(walk.next());
            assertFalse(walk.next());
        }
        assertEquals(5, record.value().remaining());
    }

    @Test
    void shouldShowNoRecordThatIsCutOff() {
        List<StoredRecord> records = new RandomRecords(5).next(0, 0, 1, 50);
        ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(records);
        RecordFlyweight record = new RecordFlyweight();
        record.wrap(batch);
        for (int end = BatchFormat.HEADER_LENGTH; end < batch.limit(); end++) {
            record.batch(0, 0, 1, 0, false, end);
            assertEquals(-1, record.show(BatchFormat.HEADER_LENGTH), "cut at " + end);
        }
        record.batch(0, 0, 1, 0, false, batch.limit());
        assertEquals(batch.limit(), record.show(BatchFormat.HEADER_LENGTH));
    }

    @Test
    void shouldShowNoRecordWhoseOffsetIsNotOneOfTheBatch() {
        List<StoredRecord> records = new RandomRecords(6).next(0, 0, 3, 50);
        ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(records);
        RecordFlyweight record = new RecordFlyweight();
        record.wrap(batch);
        record.batch(0, 10, 12, 0, false, batch.limit());
        int second = record.show(BatchFormat.HEADER_LENGTH);
        int third = record.show(second);

        assertTrue(third > second);
        assertEquals(-1, record.show(third), "offset 12");
        record.batch(0, Long.MAX_VALUE - 1, Long.MAX_VALUE, 0, false, batch.limit());
        assertEquals(-1, record.show(third), "offset after the very last one");
    }

    @SeededTest
    void shouldStayInsideTheBatchWhateverLiesThere(long seed) {
        RandomRecords random = new RandomRecords(seed);
        Random numbers = random.random();
        RecordFlyweight record = new RecordFlyweight();
        int shown = 0;
        for (int round = 0; round < 5_000; round++) {
            ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(random.next(0, 0, 1, 100));
            int size = batch.limit() - BatchFormat.HEADER_LENGTH;
            for (int changes = numbers.nextInt(4); changes >= 0; changes--) {
                // The numbers are in front.
                int at = numbers.nextInt(numbers.nextBoolean() ? Math.min(8, size) : size);
                batch.put(BatchFormat.HEADER_LENGTH + at, (byte) numbers.nextInt());
            }
            record.wrap(batch);
            record.batch(0, 0, 1, 0, false, batch.limit());
            int next = record.show(BatchFormat.HEADER_LENGTH);
            if (next >= 0) {
                assertTrue(next <= batch.limit(), "ends at " + next + " of " + batch.limit());
                record.copy();
                shown++;
            }
        }
        assertTrue(shown > 0, "no noise looked like a record");
    }

    private static List<StoredRecord> show(ByteBuffer batch, boolean appendTime) {
        RecordFlyweight record = new RecordFlyweight();
        record.wrap(batch);
        long time = appendTime ? APPEND_TIME : batch.getLong(BatchFormat.BASE_TIMESTAMP);
        long base = batch.getLong(BatchFormat.BASE_OFFSET);
        long next = BatchFormat.nextOffset(batch, 0);
        record.batch(3, base, next, time, appendTime, batch.limit());
        List<StoredRecord> shown = new ArrayList<>();
        for (int at = BatchFormat.HEADER_LENGTH; at < batch.limit(); ) {
            at = record.show(at);
            assertTrue(at > 0, "record " + shown.size() + " is malformed");
            shown.add(record.copy());
        }
        return shown;
    }
}
