package io.firn.format;

import static io.firn.kafka.SameRecords.assertSame;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.RecordTooLargeException;
import io.firn.StoredRecord;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.kafka.SeededTest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordEncoderTest {
    private static final int MAX_RECORD_BYTES = 4 << 20;
    private static final long NOW = 1_700_000_000_000L;
    private static final Source NO_KEY = new Source().none();
    private static final int[] SIZES = {
        0, 1, 57, 58, 59, 60, 61, 62, 63, 64, 127, 128, 4_095, 4_096, 4_097, 8_180, 8_185, 8_186,
        8_191, 8_192, 20_000, 1_048_570, 1_048_576, 2_000_000
    };

    @ParameterizedTest
    @EnumSource
    void shouldBeReadByKafkaWhereverTheValueLies(Sources place) {
        RandomRecords random = new RandomRecords(1);
        Log log = new Log();
        for (int size : SIZES) {
            byte[] value = random.bytes(size);
            Source source = new Source();
            place.hand(source, value);
            log.append(null, source, value);
        }

        log.check();
    }

    @SeededTest
    void shouldBeReadByKafkaWithAndWithoutKeysAndValues(long seed) {
        RandomRecords random = new RandomRecords(seed);
        Random numbers = random.random();
        Log log = new Log();
        byte[] key = null;
        byte[] value = null;
        for (int i = 0; i < 1_000; i++) {
            if (numbers.nextInt(6) == 0) { // otherwise one that is as long
                key = bytesOrNull(random);
                value = bytesOrNull(random);
            }
            if (value != null) {
                numbers.nextBytes(value);
            }
            log.append(key, new Source().wrapAny(value), value == null ? null : value.clone());
        }

        log.check();
    }

    private static byte[] bytesOrNull(RandomRecords random) {
        Random numbers = random.random();
        return numbers.nextInt(3) == 0
                ? null
                : random.bytes(numbers.nextInt(1 << numbers.nextInt(15)));
    }

    @Test
    void shouldCountTheKeyInTheLimit() {
        RecordEncoder encoder = new RecordEncoder(100);
        Source key = new Source().wrap(new byte[70]);
        // Attributes, timestamp, offset, 2 for the key's length, 1 for the value's, no headers.
        assertEquals(BatchFormat.HEADER_LENGTH + 2 + 100, encoder.begin(key, 23));
        assertThrows(RecordTooLargeException.class, () -> encoder.begin(key, 24));
        assertThrows(
                RecordTooLargeException.class, () -> encoder.begin(key, Integer.MAX_VALUE - 8));
    }

    @SeededTest
    void shouldBeReadByKafkaInAnyOrderOfWaysAndSizes(long seed) {
        RandomRecords random = new RandomRecords(seed);
        Random numbers = random.random();
        Log log = new Log();
        Source source = new Source();
        for (int i = 0; i < 500; i++) {
            byte[] value = random.bytes(numbers.nextInt(1 << numbers.nextInt(15)));
            Sources.values()[numbers.nextInt(Sources.values().length)].hand(source, value);
            log.append(null, source, value);
        }

        log.check();
    }

    @Test
    void shouldTakeAValueUpToTheLimitAndNoneAbove() {
        RecordEncoder encoder = new RecordEncoder(100);
        // Attributes, timestamp, offset, no key, 2 for the value's length, no headers.
        assertEquals(BatchFormat.HEADER_LENGTH + 2 + 100, encoder.begin(NO_KEY, 93));
        String message =
                assertThrows(RecordTooLargeException.class, () -> encoder.begin(NO_KEY, 94))
                        .getMessage();
        assertTrue(message.contains("101") && message.contains("100"), message);

        assertThrows(RecordTooLargeException.class, () -> encoder.begin(NO_KEY, Integer.MAX_VALUE));
    }

    @Test
    void shouldTouchNoByteBeforeOrAfterTheBatch() {
        ByteBuffer memory = ByteBuffer.allocate(500);
        for (int i = 0; i < 500; i++) {
            memory.put(i, (byte) 0x55);
        }
        RecordEncoder encoder = new RecordEncoder(MAX_RECORD_BYTES);
        int size = encoder.begin(NO_KEY, 10);
        encoder.store(memory, 100, 0, 1, NOW, new Source().wrap(new byte[10], 0, 10));

        for (int i = 0; i < 500; i++) {
            boolean inside = i >= 100 && i < 100 + size;
            assertTrue(inside || memory.get(i) == 0x55, "byte " + i);
        }
    }

    /** Log memory, and what should be in it. */
    private static final class Log {
        private final RecordEncoder encoder = new RecordEncoder(MAX_RECORD_BYTES);
        private final ByteBuffer memory = ByteBuffer.allocateDirect(32 << 20);
        private final List<StoredRecord> records = new ArrayList<>();
        private int end;

        void append(byte[] key, Source source, byte[] value) {
            int offset = records.size();
            long time = NOW + offset / 5;
            int size = encoder.begin(new Source().wrapAny(key), source.length());
            encoder.store(memory, end, offset, 9, time, source);
            assertEquals(size, BatchFormat.size(memory, end));
            records.add(new StoredRecord(0, offset, time, key, value, List.of()));
            end += size;
        }

        void check() {
            assertSame(records, KafkaBatches.decode(0, memory.slice(0, end)));
        }
    }
}
