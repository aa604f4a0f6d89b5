package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.read;
import static io.firn.api.Stores.readAll;
import static io.firn.api.Stores.text;
import static io.firn.api.Stores.texts;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.BusyException;
import io.firn.ClosedException;
import io.firn.Compression;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.RecordTooLargeException;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.UnexpectedOffsetException;
import io.firn.host.HostedAppender;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AppendTest {
    private static final int LIMIT = 1000;

    @TempDir private Path directory;
    private final ManualClock clock = new ManualClock();
    private LogStore store;
    private Partition partition;

    private enum Kind {
        EXCLUSIVE,
        SHARED
    }

    @BeforeEach
    void open() {
        store = Stores.at(directory).clock(clock).open();
        partition = store.createTopic("t", Stores.small()).partition(0);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Appender appender(Kind kind) {
        return kind == Kind.EXCLUSIVE
                ? partition.openExclusiveAppender()
                : partition.openAppender();
    }

    @ParameterizedTest
    @EnumSource
    void shouldStoreValuesFromEveryKindOfBuffer(Kind kind) {
        List<String> expected = new ArrayList<>();
        try (Appender appender = appender(kind)) {
            for (int round = 0; round < 2; round++) {
                String async = round == 0 ? "" : " async";
                for (Object value : buffers("value" + async)) {
                    long offset = append(appender, value, round == 1);
                    assertEquals(expected.size(), offset);
                    expected.add("value" + async);
                }
            }
            appender.append(bytes("whole array"));
            expected.add("whole array");
            appender.awaitDurable(expected.size() - 1);
        }
        assertEquals(expected, texts(readAll(partition.openTailer())));
    }

    private static long append(Appender appender, Object value, boolean async) {
        if (value instanceof ByteBuffer buffer) {
            int position = buffer.position();
            int limit = buffer.limit();
            long offset =
                    async
                            ? appender.tryAppend(appender.newBatch().add(buffer))
                            : appender.append(buffer);
            assertEquals(position, buffer.position(), "the caller's position stays");
            assertEquals(limit, buffer.limit(), "the caller's limit stays");
            return offset;
        } else if (value instanceof DirectBuffer buffer) {
            int length = buffer.capacity() - 3;
            return async
                    ? appender.tryAppend(buffer, 2, length)
                    : appender.append(buffer, 2, length);
        }
        byte[] array = (byte[]) value;
        byte[] part = Arrays.copyOfRange(array, 2, array.length - 1);
        return async
                ? appender.tryAppend(new UnsafeBuffer(array), 2, array.length - 3)
                : appender.append(part);
    }

    /** The text, with two bytes before it and one after it. */
    private static List<Object> buffers(String text) {
        byte[] padded = bytes("<<" + text + ">");
        ByteBuffer direct = ByteBuffer.allocateDirect(padded.length);
        direct.put(padded).flip();
        ByteBuffer sliced = ByteBuffer.wrap(bytes("...<<" + text + ">"), 3, padded.length).slice();
        UnsafeBuffer bare = new UnsafeBuffer();
        bare.wrap(new UnsafeBuffer(direct).addressOffset(), padded.length);
        List<Object> all = new ArrayList<>();
        all.add(padded);
        for (ByteBuffer buffer :
                List.of(
                        ByteBuffer.wrap(padded),
                        sliced,
                        direct,
                        direct.duplicate().order(ByteOrder.LITTLE_ENDIAN),
                        ByteBuffer.wrap(padded).asReadOnlyBuffer(),
                        direct.asReadOnlyBuffer())) {
            all.add(buffer.position(2).limit(padded.length - 1));
        }
        all.add(new UnsafeBuffer(padded));
        all.add(new UnsafeBuffer(bytes("...<<" + text + ">"), 3, padded.length));
        all.add(new UnsafeBuffer(ByteBuffer.wrap(padded)));
        all.add(new UnsafeBuffer(direct, 0, padded.length));
        all.add(bare);
        return all;
    }

    @Test
    void shouldReadADirectBufferAnewEachTime() {
        ByteBuffer reused = ByteBuffer.allocateDirect(100);
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < 5; i++) {
                reused.clear();
                reused.position(i).put(bytes("number " + i)).flip().position(i);
                appender.append(reused);
            }
        }
        assertEquals(
                List.of("number 0", "number 1", "number 2", "number 3", "number 4"),
                texts(readAll(partition.openTailer())));
    }

    @ParameterizedTest
    @EnumSource
    void shouldStoreKeysHeadersAndTimestampsFromEveryKindOfBuffer(Kind kind) {
        int records = 0;
        try (Appender appender = appender(kind)) {
            Batch batch = appender.newBatch();
            for (Object buffer : buffers("kv")) {
                addBoth(batch, buffer).header("h", bytes("kv")).timestamp(1000 + records).add();
                records++;
            }
            assertEquals(records, batch.count());
            assertEquals(0, appender.append(batch));
            assertEquals(records, appender.append(batch), "a batch can be appended again");
        }
        List<StoredRecord> found = readAll(partition.openTailer());
        assertEquals(2 * records, found.size());
        for (StoredRecord record : found) {
            assertEquals("kv", text(record.key()));
            assertEquals("kv", text(record.value()));
            assertEquals(1000 + record.offset() % records, record.timestamp());
            assertEquals(1, record.headers().size());
            assertEquals("h", record.headers().get(0).key());
            assertEquals("kv", text(record.headers().get(0).value()));
        }
    }

    private static Batch addBoth(Batch batch, Object buffer) {
        if (buffer instanceof ByteBuffer b) {
            return batch.key(b).value(b);
        } else if (buffer instanceof DirectBuffer b) {
            return batch.key(b, 2, b.capacity() - 3).value(b, 2, b.capacity() - 3);
        }
        byte[] b = (byte[]) buffer;
        return batch.key(b, 2, b.length - 3).value(b, 2, b.length - 3);
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void shouldTellNullFromEmpty(Compression compression) {
        Partition compressed =
                store.createTopic("c", Stores.small().withCompression(compression)).partition(0);
        byte[] empty = {};
        try (Appender appender = compressed.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            batch.add(null, null);
            batch.add(empty, empty);
            batch.key((byte[]) null).value(empty).header("", null).header("é€", empty).add();
            batch.key((ByteBuffer) null).value((ByteBuffer) null).add();
            batch.add((byte[]) null);
            batch.add();
            batch.add(ByteBuffer.allocate(0));
            appender.append(batch);
            appender.append(empty);
        }
        List<StoredRecord> found = readAll(compressed.openTailer());
        assertEquals(8, found.size());
        List<Boolean> hasKey = found.stream().map(r -> r.key() != null).toList();
        List<Boolean> hasValue = found.stream().map(r -> r.value() != null).toList();
        assertEquals(List.of(false, true, false, false, false, false, false, false), hasKey);
        assertEquals(List.of(false, true, true, false, false, false, true, true), hasValue);
        List<StoredRecord.Header> headers = found.get(2).headers();
        assertEquals("", headers.get(0).key());
        assertNull(headers.get(0).value());
        assertEquals("é€", headers.get(1).key());
        assertArrayEquals(empty, headers.get(1).value());
    }

    @Test
    void shouldStampRecordsWithTheClockUnlessTold() {
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            batch.add(bytes("a"));
            clock.advance(500);
            batch.add(bytes("b")).timestamp(7).add().timestamp(Long.MAX_VALUE / 2).add();
            clock.advance(500);
            appender.append(batch);
            appender.append(bytes("c"));
            assertThrows(InvalidOptionException.class, () -> batch.timestamp(-1));
        }
        long now = clock.time();
        assertEquals(
                List.of(now - 1000, now - 500, 7L, Long.MAX_VALUE / 2, now),
                readAll(partition.openTailer()).stream().map(StoredRecord::timestamp).toList());
    }

    @Test
    void shouldForgetWhatWasClearedAndKeepWhatWasAppended() {
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            batch.add(bytes("k"), bytes("one")).key(bytes("left over")).header("left", null);
            batch.clear().add(bytes("two"));
            appender.append(batch);
            batch.clear();
            assertEquals(0, batch.count());
            assertThrows(InvalidOptionException.class, () -> appender.append(batch));
        }
        StoredRecord only = read(partition.openTailer(), 1).get(0);
        assertEquals("two", text(only.value()));
        assertNull(only.key());
        assertTrue(only.headers().isEmpty());
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseARecordAboveTheLimitAndGoOn(Kind kind) {
        TopicOptions options = Stores.small().withMaxRecordBytes(LIMIT);
        partition = store.createTopic("limited", options).partition(0);
        try (Appender appender = appender(kind)) {
            int largest = largestValue(appender);
            // An attribute, two deltas and three lengths take room beside the value.
            assertTrue(largest > LIMIT - 16 && largest < LIMIT, "largest: " + largest);
            Batch batch = appender.newBatch();
            batch.add(new byte[largest]);
            for (int length : new int[] {largest + 1, LIMIT, LIMIT + 1, 50_000_000}) {
                byte[] value = new byte[length];
                refused(() -> appender.append(value));
                refused(() -> appender.tryAppend(new UnsafeBuffer(value), 0, length));
                refused(() -> appender.append(ByteBuffer.wrap(value)));
                refused(() -> appender.append(ByteBuffer.allocateDirect(length)));
                refused(() -> batch.key(bytes("k")).value(value).header("h", null).add());
            }
            refused(() -> batch.key(new byte[600]).value(new byte[600]).add());
            refused(() -> batch.value(bytes("v")).header("h", new byte[LIMIT]).add());
            assertEquals(1, batch.count(), "refused records are not in the batch");
            batch.add();
            appender.append(batch);
        }
        List<StoredRecord> found = readAll(partition.openTailer());
        StoredRecord last = found.get(found.size() - 1);
        assertNull(last.key(), "what was refused leaves nothing for the next record");
        assertNull(last.value(), "what was refused leaves nothing for the next record");
        assertTrue(last.headers().isEmpty(), "what was refused leaves nothing for the next");
    }

    private static int largestValue(Appender appender) {
        int length = LIMIT;
        while (true) {
            try {
                appender.append(new byte[length]);
                return length;
            } catch (RecordTooLargeException e) {
                length--;
            }
        }
    }

    private static void refused(Executable append) {
        RecordTooLargeException e = assertThrows(RecordTooLargeException.class, append);
        assertTrue(e.getMessage().contains(Integer.toString(LIMIT)), e.getMessage());
    }

    /** Its own topic took the record, this one would not have. */
    @ParameterizedTest
    @EnumSource
    void shouldRefuseABatchOfAnotherTopicWithARecordAboveTheLimit(Kind kind) {
        TopicOptions smaller = Stores.small().withMaxRecordBytes(LIMIT);
        Partition strict = store.createTopic("strict", smaller).partition(0);
        try (Appender other = appender(kind);
                Appender appender = strict.openAppender()) {
            Batch batch = other.newBatch().add(new byte[10]).add(new byte[LIMIT]);
            RecordTooLargeException e =
                    assertThrows(RecordTooLargeException.class, () -> appender.append(batch));
            assertTrue(e.getMessage().contains(Integer.toString(LIMIT)), e.getMessage());
            assertThrows(RecordTooLargeException.class, () -> appender.tryAppend(batch));
            batch.expectedOffset(0);
            assertThrows(RecordTooLargeException.class, () -> appender.append(batch));
            assertEquals(0, appender.append(batch.clear().add(new byte[10])));
            assertEquals(0, other.append(batch.add(new byte[LIMIT])));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseABatchThatNoSegmentHoldsAndGoOn(Kind kind) {
        try (Appender appender = appender(kind)) {
            Batch batch = appender.newBatch();
            for (int i = 0; i < 3; i++) {
                batch.add(new byte[25_000]);
            }
            RecordTooLargeException e =
                    assertThrows(RecordTooLargeException.class, () -> appender.append(batch));
            String limit = Integer.toString(Stores.SEGMENT_BYTES);
            assertTrue(e.getMessage().contains(limit), e.getMessage());
            assertThrows(RecordTooLargeException.class, () -> appender.tryAppend(batch));
            assertEquals(0, partition.nextOffset());
            batch.clear().add(new byte[25_000]).add(new byte[25_000]);
            assertEquals(0, appender.append(batch));
        }
        assertEquals(2, readAll(partition.openTailer()).size());
    }

    @Test
    void shouldFillASegmentToItsLastByte() {
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            int last = Stores.SEGMENT_BYTES - 60_000;
            do {
                batch.clear().add(new byte[30_000]).add(new byte[30_000]).add(new byte[--last]);
            } while (batch.sizeBytes() > Stores.SEGMENT_BYTES);
            assertEquals(Stores.SEGMENT_BYTES, batch.sizeBytes());
            appender.append(batch);
            assertEquals(1, partition.metrics().segments());
            appender.append(batch);
            assertEquals(2, partition.metrics().segments());
        }
        store.close();
        store = Stores.at(directory).clock(clock).open();
        List<StoredRecord> found = readAll(store.openTopic("t").partition(0).openTailer());
        assertEquals(6, found.size());
        assertEquals(30_000, found.get(3).value().length);
    }

    @ParameterizedTest
    @EnumSource
    void shouldAppendOnlyAtTheExpectedOffset(Kind kind) {
        try (Appender appender = appender(kind)) {
            Batch batch = appender.newBatch().add(bytes("a")).add(bytes("b"));
            assertEquals(0, appender.append(batch.expectedOffset(0)));
            batch.clear().add(bytes("c"));
            for (long wrong : new long[] {0, 1, 3, Long.MAX_VALUE}) {
                UnexpectedOffsetException e =
                        assertThrows(
                                UnexpectedOffsetException.class,
                                () -> appender.append(batch.expectedOffset(wrong)));
                assertThrows(UnexpectedOffsetException.class, () -> appender.tryAppend(batch));
                assertEquals(wrong, e.expectedOffset());
                assertEquals(2, e.nextOffset());
            }
            assertThrows(InvalidOptionException.class, () -> batch.expectedOffset(-1));
            assertEquals(2, partition.nextOffset());
            assertEquals(2, appender.tryAppend(batch.expectedOffset(2)));
            assertEquals(3, appender.append(batch.clear().add(bytes("d"))));
        }
        assertEquals(List.of("a", "b", "c", "d"), texts(readAll(partition.openTailer())));
    }

    /** What was appended in between is not visible before it is durable; waiting ends that. */
    @Test
    void shouldShowWhatConflictedOnceItWasWaitedFor() {
        ObservedMedium medium = new ObservedMedium();
        Gate forcing = new Gate();
        try (LogStore slow = Stores.at(directory.resolve("slow"), medium).open()) {
            Partition log = slow.createTopic("t", Stores.small()).partition(0);
            try (Appender appender = log.openAppender();
                    Tailer tailer = log.openTailer()) {
                appender.append(bytes("a"));
                assertEquals(1, readAll(tailer).size());
                medium.beforeForce(forcing);
                forcing.shut();
                assertEquals(1, appender.tryAppend(new UnsafeBuffer(bytes("in between")), 0, 10));
                UnexpectedOffsetException e =
                        assertThrows(
                                UnexpectedOffsetException.class,
                                () ->
                                        appender.append(
                                                appender.newBatch()
                                                        .add(bytes("b"))
                                                        .expectedOffset(tailer.offset())));
                assertTrue(e.getMessage().contains("awaitDurable"), e.getMessage());
                assertEquals(0, readAll(tailer).size(), "it is not durable yet");
                forcing.open();
                appender.awaitDurable(e.nextOffset() - 1);
                assertEquals(1, readAll(tailer).size());
                assertEquals(e.nextOffset(), tailer.offset());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldSayWhatIsMissingWhenAnArgumentIsNull(Kind kind) {
        try (Appender appender = appender(kind)) {
            List<org.junit.jupiter.api.function.Executable> calls =
                    List.of(
                            () -> appender.append((byte[]) null),
                            () -> appender.append((ByteBuffer) null),
                            () -> appender.append(null, 0, 0),
                            () -> appender.append((Batch) null),
                            () -> HostedAppender.of(appender).appendBatch(null),
                            () -> appender.tryAppend(null, 0, 1),
                            () -> appender.tryAppend(null),
                            () -> appender.newBatch().key((org.agrona.DirectBuffer) null, 0, 1));
            for (org.junit.jupiter.api.function.Executable call : calls) {
                RuntimeException e = assertThrows(RuntimeException.class, call);
                assertTrue(e.getMessage().contains("expected, found null"), e.getMessage());
            }
            assertEquals(0, partition.nextOffset());
        }
    }

    private void assertRefusedBecauseOf(String what) {
        String found =
                assertThrows(BusyException.class, () -> partition.openExclusiveAppender())
                        .getMessage();
        assertTrue(found.contains(what), found);
    }

    @Test
    void shouldKeepOthersOutWhileAnExclusiveAppenderIsOpen() {
        Appender exclusive = partition.openExclusiveAppender();
        assertRefusedBecauseOf(
                "an exclusive appender open, which thread "
                        + Thread.currentThread().getName()
                        + " has opened");
        assertThrows(BusyException.class, () -> partition.openAppender());
        assertThrows(BusyException.class, () -> partition.topic().openAppender());
        exclusive.close();
        exclusive.close();

        Appender one = partition.openAppender();
        Appender two = partition.openAppender();
        assertRefusedBecauseOf("2 shared appenders or transactions open: close them first");
        one.close();
        one.close();
        assertRefusedBecauseOf("a shared appender or a transaction open: close it first");
        two.append(bytes("still open"));
        two.close();

        try (Appender again = partition.openExclusiveAppender()) {
            assertEquals(1, again.append(bytes("free again")));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseEverythingAfterTheAppenderIsClosed(Kind kind) {
        Appender appender = appender(kind);
        appender.append(bytes("a"));
        Batch batch = appender.newBatch().add(bytes("b"));
        DirectBuffer buffer = new UnsafeBuffer(new byte[1]);
        appender.close();
        List<Executable> uses =
                List.of(
                        () -> appender.append(bytes("b")),
                        () -> appender.append(ByteBuffer.allocate(1)),
                        () -> appender.append(buffer, 0, 1),
                        () -> appender.append(batch),
                        () -> appender.tryAppend(buffer, 0, 1),
                        () -> appender.tryAppend(batch),
                        () -> appender.append(batch.expectedOffset(1)),
                        () -> appender.awaitDurable(0),
                        () -> appender.whenDurable(0),
                        () -> appender.onDurable((p, offset) -> {}));
        for (Executable use : uses) {
            assertThrows(ClosedException.class, use);
        }
        assertEquals(1, partition.nextOffset());
    }

    @Test
    void shouldRefuseRangesOutsideOfWhatWasHandedIn() {
        try (Appender appender = partition.openExclusiveAppender()) {
            byte[] value = new byte[10];
            DirectBuffer buffer = new UnsafeBuffer(value);
            for (int[] range : new int[][] {{0, 11}, {-1, 2}, {10, 1}, {5, -1}, {1, 10}}) {
                Class<IndexOutOfBoundsException> expected = IndexOutOfBoundsException.class;
                assertThrows(expected, () -> appender.append(buffer, range[0], range[1]));
                assertThrows(expected, () -> appender.newBatch().value(value, range[0], range[1]));
            }
            assertThrows(NullPointerException.class, () -> appender.append((byte[]) null));
            assertThrows(NullPointerException.class, () -> appender.append((ByteBuffer) null));
            assertEquals(0, appender.append(bytes("works still")));
        }
    }

    @Test
    void shouldSayWhatRecordsHoldWhileTheyAreHandedOut() {
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(
                    appender.newBatch()
                            .key(bytes("key"))
                            .value(bytes("value"))
                            .header("one", bytes("1"))
                            .header("two", null)
                            .timestamp(42)
                            .add()
                            .add());
        }
        try (Tailer tailer = partition.openTailer()) {
            tailer.poll(
                    record -> {
                        assertEquals(0, record.partition());
                        if (record.offset() == 1) {
                            assertTrue(!record.hasKey() && !record.hasValue());
                            assertEquals(-1, record.keyLength());
                            assertEquals(-1, record.valueLength());
                            assertNull(record.key());
                            assertNull(record.value());
                            assertEquals(0, record.headerCount());
                            return Action.CONTINUE;
                        }
                        assertEquals(42, record.timestamp());
                        assertTrue(record.hasKey() && record.hasValue());
                        assertEquals(3, record.keyLength());
                        assertEquals(5, record.valueLength());
                        assertEquals("key", UTF_8.decode(record.key()).toString());
                        assertEquals("key", UTF_8.decode(record.key()).toString(), "set anew");
                        assertEquals("value", UTF_8.decode(record.value()).toString());
                        assertTrue(record.value().isReadOnly());
                        byte[] copy = new byte[7];
                        record.getValue(copy, 2);
                        assertArrayEquals(new byte[] {0, 0, 'v', 'a', 'l', 'u', 'e'}, copy);
                        assertEquals(2, record.headerCount());
                        var headers = record.headers();
                        assertTrue(headers.next());
                        assertEquals("one", headers.key());
                        assertEquals("1", UTF_8.decode(headers.value()).toString());
                        assertTrue(headers.next());
                        assertEquals("two", headers.key());
                        assertNull(headers.value());
                        assertTrue(!headers.next());
                        assertTrue(record.headers().next(), "from the first again");
                        return Action.CONTINUE;
                    },
                    2);
            assertEquals(2, tailer.offset());
        }
    }
}
