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

class ValueEncoderTest {
    private static final int MAX_RECORD_BYTES = 4 << 20;
    private static final long NOW = 1_700_000_000_000L;
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
            log.append(source, value);
        }

        log.check();
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
            log.append(source, value);
        }

        log.check();
    }

    @Test
    void shouldTakeAValueUpToTheLimitAndNoneAbove() {
        ValueEncoder encoder = new ValueEncoder(100);
        // Attributes, timestamp, offset, no key, 2 for the value's length, no headers.
        assertEquals(BatchFormat.HEADER_LENGTH + 2 + 100, encoder.begin(93));
        String message =
                assertThrows(RecordTooLargeException.class, () -> encoder.begin(94)).getMessage();
        assertTrue(message.contains("101") && message.contains("100"), message);

        assertThrows(RecordTooLargeException.class, () -> encoder.begin(Integer.MAX_VALUE));
    }

    @Test
    void shouldTouchNoByteBeforeOrAfterTheBatch() {
        ByteBuffer memory = ByteBuffer.allocate(500);
        for (int i = 0; i < 500; i++) {
            memory.put(i, (byte) 0x55);
        }
        ValueEncoder encoder = new ValueEncoder(MAX_RECORD_BYTES);
        int size = encoder.begin(10);
        encoder.store(memory, 100, 0, 1, NOW, new Source().wrap(new byte[10], 0, 10));

        for (int i = 0; i < 500; i++) {
            boolean inside = i >= 100 && i < 100 + size;
            assertTrue(inside || memory.get(i) == 0x55, "byte " + i);
        }
    }

    /** Log memory, and what should be in it. */
    private static final class Log {
        private final ValueEncoder encoder = new ValueEncoder(MAX_RECORD_BYTES);
        private final ByteBuffer memory = ByteBuffer.allocateDirect(16 << 20);
        private final List<StoredRecord> records = new ArrayList<>();
        private int end;

        void append(Source source, byte[] value) {
            int size = encoder.begin(source.length());
            encoder.store(memory, end, records.size(), 9, NOW + records.size(), source);
            stored(size, value);
        }

        private void stored(int size, byte[] value) {
            assertEquals(size, BatchFormat.size(memory, end));
            int offset = records.size();
            records.add(new StoredRecord(0, offset, NOW + offset, null, value, List.of()));
            end += size;
        }

        void check() {
            assertSame(records, KafkaBatches.decode(0, memory.slice(0, end)));
        }
    }
}
