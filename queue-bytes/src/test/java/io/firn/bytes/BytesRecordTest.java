package io.firn.bytes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Batch;
import io.firn.CleanupPolicy;
import io.firn.Cursor;
import io.firn.InvalidOptionException;
import io.firn.RecordHandler.Action;
import io.firn.RecordId;
import io.firn.RecordTooLargeException;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerLoop;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BytesRecordTest {
    @TempDir private Path directory;
    private TestStore log;
    private BytesAppender appender;
    private BytesTailer tailer;

    /** A price as it was in the first version. */
    private static final class Price implements BytesMarshallable {
        private String symbol;
        private double price;

        @Override
        public void writeMarshallable(BytesOut<?> bytes) {
            bytes.writeUtf8(symbol).writeDouble(price);
        }

        @Override
        public void readMarshallable(BytesIn<?> bytes) {
            symbol = bytes.readUtf8();
            price = bytes.readDouble();
        }
    }

    @BeforeEach
    void open() {
        log = new TestStore(directory, TopicOptions.defaults().withSegmentBytes(64 * 1024));
        appender = BytesAppender.of(log.partition.openExclusiveAppender());
        tailer = BytesTailer.of(log.partition.openTailer());
    }

    @AfterEach
    void close() {
        tailer.close();
        appender.close();
        log.close();
    }

    @Test
    void shouldRefuseARecordWithoutAKeyInACompactedTopic() {
        TopicOptions options = log.partition.topic().options();
        log.partition.topic().changeOptions(options.withCleanup(CleanupPolicy.COMPACT));
        byte[] key = {1};
        assertThrows(InvalidOptionException.class, () -> appender.write(b -> b.writeLong(7)));
        assertThrows(InvalidOptionException.class, () -> appender.tryWrite(b -> b.writeLong(7)));
        assertThrows(InvalidOptionException.class, () -> appender.write(null, b -> {}));
        assertEquals(0, appender.write(key, b -> b.writeLong(7)));
        assertEquals(1, log.records().size());
    }

    @Test
    void shouldReadTheFieldsThatWereWritten() {
        assertEquals(0, appender.write(b -> b.writeLong(7).writeUtf8("grün").writeStopBit(-300)));
        assertEquals(1, log.partition.durableOffset());
        assertEquals(1, appender.write(b -> {}));
        List<Object> read = new ArrayList<>();
        assertTrue(
                tailer.read(
                        b -> {
                            read.add(b.readRemaining());
                            read.add(b.readLong());
                            read.add(b.readUtf8());
                            read.add(b.readStopBit());
                        }));
        assertEquals(List.of(8L + 6 + 3, 7L, "grün", -300L), read);
        assertTrue(tailer.read(b -> assertEquals(0, b.readRemaining())));
        assertFalse(tailer.read(b -> read.clear()));
        assertEquals(4, read.size());
    }

    @Test
    void shouldWriteAndReadAMarshallable() {
        Price price = new Price();
        price.symbol = "FIRN";
        price.price = 12.5;
        appender.write(price);
        Price read = new Price();
        assertTrue(tailer.read(read));
        assertEquals("FIRN", read.symbol);
        assertEquals(12.5, read.price);
    }

    @Test
    void shouldStoreAPlainValueThatOthersRead() {
        appender.write(b -> b.writeLong(7).writeInt(9));
        appender.write("key".getBytes(UTF_8), b -> b.write8bit("value"));
        List<StoredRecord> records = log.records();
        ByteBuffer value = ByteBuffer.wrap(records.get(0).value()).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(7, value.getLong());
        assertEquals(9, value.getInt());
        assertNull(records.get(0).key());
        assertArrayEquals("key".getBytes(UTF_8), records.get(1).key());
        assertArrayEquals("\005value".getBytes(UTF_8), records.get(1).value());
        List<String> keys = new ArrayList<>();
        tailer.tailer().seek(1);
        assertEquals(
                1,
                tailer.read(
                        (record, fields) ->
                                keys.add(
                                        UTF_8.decode(record.key())
                                                + "="
                                                + fields.read8bit()
                                                + "@"
                                                + record.offset()),
                        10));
        assertEquals(List.of("key=value@1"), keys);
    }

    @Test
    void shouldAppendHeadersInTheirOrderByABatch() {
        List<StoredRecord.Header> headers =
                List.of(
                        new StoredRecord.Header("trace", new byte[] {1, 2}),
                        new StoredRecord.Header("empty", null));
        Batch batch = appender.appender().newBatch().key(new byte[] {9}).headers(headers);
        appender.add(batch, b -> b.writeLong(7));
        appender.appender().append(batch);
        assertEquals(1, appender.write(new byte[] {9}, b -> b.writeLong(9)));

        List<StoredRecord> records = new ArrayList<>();
        tailer.tailer().stream().forEach(records::add);
        assertEquals(2, records.size());
        StoredRecord first = records.get(0);
        assertArrayEquals(new byte[] {9}, first.key());
        assertArrayEquals(new byte[] {7, 0, 0, 0, 0, 0, 0, 0}, first.value());
        assertEquals("trace", first.headers().get(0).key());
        assertArrayEquals(new byte[] {1, 2}, first.headers().get(0).value());
        assertEquals("empty", first.headers().get(1).key());
        assertNull(first.headers().get(1).value());
        assertEquals(List.of(), records.get(1).headers());
    }

    @Test
    void shouldAppendToThePartitionOfTheKeyAndReadFromAll() {
        Topic topic = log.store.createTopic("three", TopicOptions.defaults().withPartitions(3));
        Map<Long, Integer> expected = new TreeMap<>();
        try (TopicBytesAppender typed = TopicBytesAppender.of(topic.openAppender())) {
            for (long i = 0; i < 20; i++) {
                long number = i;
                byte[] key = {(byte) i};
                RecordId id = typed.write(key, b -> b.writeLong(number));
                assertEquals(typed.appender().partitionFor(key), id.partition());
                expected.put(i, id.partition());
            }
        }
        assertEquals(Set.of(0, 1, 2), Set.copyOf(expected.values()));
        Map<Long, Integer> found = new TreeMap<>();
        try (BytesTailer all = BytesTailer.of(topic.openTailer())) {
            all.read((record, fields) -> found.put(fields.readLong(), record.partition()), 100);
        }
        assertEquals(expected, found);
    }

    @Test
    void shouldAppendNothingWhenTheWriterThrowsInTheMiddle() {
        IllegalStateException broken = new IllegalStateException("broken on purpose");
        assertSame(
                broken,
                assertThrows(
                        IllegalStateException.class,
                        () ->
                                appender.write(
                                        b -> {
                                            b.writeLong(1);
                                            throw broken;
                                        })));
        assertEquals(0, log.partition.nextOffset());
        appender.write(b -> b.writeInt(2));
        assertEquals(4, log.records().get(0).value().length, "and nothing of it is left");
    }

    @Test
    void shouldAppendLargeRecordsAndRefuseThoseThatAreTooLarge() {
        byte[] large = new byte[50_000];
        large[49_999] = 3;
        appender.write(b -> b.write(large));
        assertThrows(
                RecordTooLargeException.class,
                () -> appender.write(b -> b.write(new byte[70_000])));
        for (int i = 0; i < 10; i++) { // over several segments
            appender.tryWrite(b -> b.write(large));
        }
        assertTrue(
                tailer.read(
                        b -> {
                            byte[] read = new byte[50_000];
                            assertEquals(50_000, b.read(read));
                            assertEquals(3, read[49_999]);
                        }));
    }

    @Test
    void shouldNotLetAWriterWriteAnotherRecordByTheSameAppender() {
        assertThrows(
                IllegalStateException.class,
                () -> appender.write(b -> appender.write(c -> c.writeLong(1))));
        assertEquals(0, log.partition.nextOffset());
        appender.write(b -> b.writeLong(1));
    }

    @Test
    void shouldAddRecordsToABatch() {
        Batch batch = appender.appender().newBatch();
        batch.key("k".getBytes(UTF_8)).header("h", null);
        appender.add(batch, b -> b.writeInt(1));
        appender.add(batch, b -> b.writeInt(2));
        appender.appender().append(batch);
        List<StoredRecord> records = log.records();
        assertEquals(2, records.size());
        assertEquals(1, records.get(0).headers().size());
        assertNull(records.get(1).key());
        assertEquals(2, records.get(1).value()[0]);
    }

    @Test
    void shouldNameTheRecordThatHasFewerBytesThanItsReaderExpects() {
        appender.write(b -> b.writeInt(1));
        MalformedValueException e =
                assertThrows(MalformedValueException.class, () -> tailer.read(b -> b.readLong()));
        assertEquals(0, e.partition());
        assertEquals(0, e.offset());
        assertTrue(e.getMessage().contains("seek(0, 1)"), e.getMessage());
        assertTrue(e.getCause() instanceof BufferUnderflowException);
        assertEquals(0, tailer.tailer().offset(), "it is not handled");
        assertTrue(
                tailer.read(
                        b -> {
                            b.lenient(true);
                            assertEquals(0, b.readLong(), "of a version that did not write it");
                        }));
        appender.write(b -> b.writeStopBit(1L << 40).writeByte((byte) 1));
        assertThrows(MalformedValueException.class, () -> tailer.read(b -> b.readUtf8()));
    }

    @Test
    void shouldSkipWhatFollowsTheFieldsThatAreRead() {
        appender.write(b -> b.writeInt(1).writeUtf8("of a newer version"));
        appender.write(b -> b.writeInt(2));
        List<Integer> read = new ArrayList<>();
        assertEquals(2, tailer.read((record, fields) -> read.add(fields.readInt()), 10));
        assertEquals(List.of(1, 2), read);
    }

    @Test
    void shouldShowNothingAfterTheReaderHasReturned() {
        appender.write(b -> b.writeLong(1));
        Bytes<?>[] kept = new Bytes<?>[1];
        tailer.read(
                b -> {
                    kept[0] = (Bytes<?>) b;
                    assertThrows(
                            ReadOnlyBufferException.class, () -> kept[0].writeByte(0, (byte) 1));
                });
        assertThrows(BufferUnderflowException.class, () -> kept[0].readLong());
        assertThrows(BufferUnderflowException.class, () -> kept[0].readLong(0));
    }

    @Test
    void shouldReadInALoopWithACursor() {
        for (int i = 0; i < 5; i++) {
            int number = i;
            appender.write(b -> b.writeInt(number));
        }
        appender.appender().append(new byte[1]); // not what the reader expects
        Cursor cursor = log.partition.topic().cursor("c");
        List<Integer> read = new ArrayList<>();
        try (Tailer plain = log.partition.topic().openTailer(TailerOptions.at("c"))) {
            TailerLoop loop = TailerLoop.of(plain);
            loop.onError(
                    error -> {
                        assertEquals(5, ((MalformedValueException) error).offset());
                        loop.stop();
                        return Action.CONTINUE;
                    });
            loop.run(BytesTailer.handler((record, fields) -> read.add(fields.readInt())));
        }
        assertEquals(List.of(0, 1, 2, 3, 4), read);
        assertEquals(6, cursor.offset(0));
    }
}
