package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.Appender;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoredRecord;
import io.firn.Tailer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.LongStream;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The ways to read that are simpler than a handler with verdicts. */
@ParameterizedClass
@EnumSource(Tiers.class)
class TailerFormsTest {
    @Parameter Tiers tier;
    @TempDir private Path directory;
    private LogStore store;
    private Partition partition;

    @BeforeEach
    void open() {
        store = tier.at(directory).open();
        partition = store.createTopic("t", Stores.small()).partition(0);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void append(int count) {
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < count; i++) {
                appender.append(bytes("" + i));
            }
        }
    }

    @Test
    void shouldHandEveryRecordToAConsumerThatHasNoVerdict() {
        append(10);
        try (Tailer tailer = partition.openTailer()) {
            List<Long> offsets = new ArrayList<>();
            assertEquals(4, tailer.forEach(record -> offsets.add(record.offset()), 4));
            assertThrows(
                    IllegalArgumentException.class,
                    () ->
                            tailer.forEach(
                                    record -> {
                                        throw new IllegalArgumentException("on purpose");
                                    },
                                    4));
            // A consumer may not read by its own tailer, and the attempt changes nothing.
            assertEquals(
                    6,
                    tailer.forEach(
                            record -> {
                                assertThrows(
                                        IllegalStateException.class,
                                        () -> tailer.forEach(other -> offsets.clear(), 1));
                                offsets.add(record.offset());
                            },
                            100,
                            Duration.ofSeconds(10)));
            assertEquals(0, tailer.forEach(record -> offsets.clear(), 1, Duration.ZERO));
            assertEquals(LongStream.range(0, 10).boxed().toList(), offsets);
        }
    }

    @Test
    void shouldIterateOverCopiesOfWhatIsVisible() {
        append(5);
        try (Tailer tailer = partition.openTailer()) {
            Iterator<StoredRecord> records = tailer.iterator();
            StoredRecord first = records.next();
            StoredRecord second = records.next();
            assertEquals(0, first.offset());
            assertEquals(1, second.offset());
            assertEquals(2, tailer.offset());
            assertEquals(List.of(2L, 3L, 4L), tailer.stream().map(StoredRecord::offset).toList());
            assertFalse(records.hasNext());
            assertThrows(NoSuchElementException.class, records::next);
            append(1);
            assertEquals(5, records.next().offset(), "it goes on when more come");
        }
    }

    @Test
    void shouldReadTheLastRecords() {
        append(10);
        try (Tailer tailer = partition.openTailer()) {
            tailer.seekToLast(3);
            assertEquals(List.of(7L, 8L, 9L), Stores.offsets(Stores.readAll(tailer)));
            tailer.seekToLast(0);
            assertEquals(10, tailer.offset());
            partition.deleteRecordsBefore(8);
            for (long count : new long[] {3, 1000, Long.MAX_VALUE}) {
                tailer.seekToLast(count);
                assertEquals(8, tailer.offset(), "no earlier one is there");
            }
            assertThrows(InvalidOptionException.class, () -> tailer.seekToLast(-1));
        }
    }

    @Test
    void shouldShowKeysAndValuesAsAgronasBuffers() {
        try (Appender appender = partition.openAppender()) {
            appender.append(bytes("key"), bytes("value"));
            appender.append(null, null);
            appender.append(new byte[0], new byte[0]);
        }
        try (Tailer tailer = partition.openTailer()) {
            DirectBuffer[] kept = new DirectBuffer[1];
            tailer.forEach(
                    record -> {
                        DirectBuffer value = record.directValue();
                        assertEquals(5, value.capacity());
                        assertEquals("value", value.getStringWithoutLengthAscii(0, 5));
                        assertEquals('v', value.getByte(0));
                        assertEquals("ke", record.directKey().getStringWithoutLengthUtf8(0, 2));
                        assertThrows(IndexOutOfBoundsException.class, () -> value.getLong(0));
                        kept[0] = value;
                    },
                    1);
            assertEquals(0, kept[0].capacity());
            assertThrows(IndexOutOfBoundsException.class, () -> kept[0].getByte(0));
            tailer.forEach(
                    record -> {
                        assertNull(record.directKey());
                        assertNull(record.directValue());
                    },
                    1);
            tailer.forEach(
                    record -> {
                        assertEquals(0, record.directKey().capacity());
                        assertEquals(0, record.directValue().capacity());
                        try (Appender appender = partition.openAppender()) {
                            appender.append(record.directValue(), 0, 0);
                        }
                    },
                    1);
        }
    }
}
