package io.firn.bytes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Batch;
import io.firn.InvalidOptionException;
import io.firn.StoredRecord;
import io.firn.TopicOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;
import net.openhft.chronicle.bytes.MethodId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From method writers to method readers. */
class MethodCallTest {
    @TempDir private Path directory;
    private TestStore log;
    private BytesAppender appender;
    private BytesTailer tailer;
    private final List<String> calls = new ArrayList<>();

    /** All kinds of parameters. */
    interface Everything {
        void numbers(byte b, short s, char c, int i, long j, float f, double d, boolean z);

        void objects(String s, CharSequence t, byte[] y, TimeUnit e, Item m);

        void nothing();

        @MethodId(77)
        void numbered(long value);
    }

    /** The first version of an item's fields. */
    static class Item implements BytesMarshallable {
        long id;

        @Override
        public void writeMarshallable(BytesOut<?> bytes) {
            bytes.writeLong(id);
        }

        @Override
        public void readMarshallable(BytesIn<?> bytes) {
            id = bytes.readLong();
        }
    }

    /** The second version. */
    static final class ItemWithNote extends Item {
        String note;
        int count;

        @Override
        public void writeMarshallable(BytesOut<?> bytes) {
            super.writeMarshallable(bytes);
            bytes.writeUtf8(note).writeInt(count);
        }

        @Override
        public void readMarshallable(BytesIn<?> bytes) {
            super.readMarshallable(bytes);
            note = bytes.readUtf8();
            count = bytes.readInt();
        }
    }

    /** The first version of an interface. */
    interface Orders {
        void order(int id, Item item);

        void cancel(int id);
    }

    /** The second version: wider, longer, and with another method. */
    interface OrdersToday {
        void order(long id, ItemWithNote item, String by);

        void amend(long id);
    }

    @BeforeEach
    void open() {
        log = new TestStore(directory, TopicOptions.defaults());
        appender = BytesAppender.of(log.partition.openAppender());
        tailer = BytesTailer.of(log.partition.openTailer());
    }

    @AfterEach
    void close() {
        tailer.close();
        appender.close();
        log.close();
    }

    private Everything everything() {
        return new Everything() {
            @Override
            public void numbers(
                    byte b, short s, char c, int i, long j, float f, double d, boolean z) {
                calls.add(List.of(b, s, c, i, j, f, d, z).toString());
            }

            @Override
            public void objects(String s, CharSequence t, byte[] y, TimeUnit e, Item m) {
                calls.add(
                        s
                                + ","
                                + t
                                + ","
                                + Arrays.toString(y)
                                + ","
                                + e
                                + ","
                                + (m == null ? null : m.id));
            }

            @Override
            public void nothing() {
                calls.add("nothing");
            }

            @Override
            public void numbered(long value) {
                calls.add("numbered " + value);
            }
        };
    }

    @Test
    void shouldCallWithTheArgumentsThatWereWritten() {
        Everything writer = appender.methodWriter(Everything.class);
        byte most = Byte.MIN_VALUE;
        short least = Short.MAX_VALUE;
        writer.numbers(most, least, 'ü', -5, Long.MIN_VALUE, 1.5f, -2.25, true);
        Item item = new Item();
        item.id = 9;
        writer.objects("grün", new StringBuilder("t"), new byte[] {1, 2}, TimeUnit.DAYS, item);
        writer.objects(null, null, null, null, null);
        writer.objects("", "", new byte[0], TimeUnit.HOURS, item);
        writer.nothing();
        writer.numbered(8);
        assertEquals(6, log.partition.durableOffset(), "each call is a record, and durable");
        MethodReader reader = tailer.methodReader(everything());
        assertEquals(6, reader.read(100));
        assertEquals(
                List.of(
                        "[-128, 32767, ü, -5, -9223372036854775808, 1.5, -2.25, true]",
                        "grün,t,[1, 2],DAYS,9",
                        "null,null,null,null,null",
                        ",,[],HOURS,9",
                        "nothing",
                        "numbered 8"),
                calls);
        assertEquals(0, reader.skipped());
        assertEquals(0, reader.read(1));
    }

    @Test
    void shouldWriteTheFormThatIsDocumented() {
        appender.methodWriter(Everything.class).numbered(8);
        appender.methodWriter(Orders.class).cancel(1);
        List<StoredRecord> records = log.records();
        assertArrayEquals(
                new byte[] {(byte) 0xf1, (byte) 0x9a, 1, 'J', 8, 0, 0, 0, 0, 0, 0, 0},
                records.get(0).value());
        assertArrayEquals(
                new byte[] {(byte) 0xf1, 13, 'c', 'a', 'n', 'c', 'e', 'l', 'I', 1, 0, 0, 0},
                records.get(1).value());
    }

    @Test
    void shouldReadWhatAnOlderVersionHasWritten() {
        Orders writer = appender.methodWriter(Orders.class);
        Item item = new Item();
        item.id = 5;
        writer.order(-3, item);
        writer.cancel(3);
        OrdersToday today =
                new OrdersToday() {
                    @Override
                    public void order(long id, ItemWithNote with, String by) {
                        calls.add(id + " " + with.id + " " + with.note + " " + with.count + by);
                    }

                    @Override
                    public void amend(long id) {
                        calls.add("amend");
                    }
                };
        MethodReader reader = tailer.methodReader(today);
        assertEquals(2, reader.read(10));
        assertEquals(List.of("-3 5 null 0null"), calls);
        assertEquals(1, reader.skipped(), "cancel is not known any more");
    }

    @Test
    void shouldReadWhatANewerVersionHasWritten() {
        OrdersToday writer = appender.methodWriter(OrdersToday.class);
        ItemWithNote item = new ItemWithNote();
        item.id = 5;
        item.note = "fragile";
        writer.order(4, item, "me");
        writer.amend(4);
        writer.order(1L << 40, item, "me");
        Orders orders =
                new Orders() {
                    @Override
                    public void order(int id, Item with) {
                        calls.add("order " + id + " " + with.id);
                    }

                    @Override
                    public void cancel(int id) {
                        calls.add("cancel");
                    }
                };
        MethodReader reader = tailer.methodReader(orders);
        assertTrue(reader.readOne());
        assertTrue(reader.readOne());
        assertEquals(List.of("order 4 5"), calls);
        assertEquals(1, reader.skipped());
        MalformedValueException e =
                assertThrows(MalformedValueException.class, () -> reader.readOne());
        assertEquals(2, e.offset());
        assertTrue(e.getMessage().contains("argument 1 of"), e.getMessage());
        assertTrue(e.getMessage().contains("1099511627776"), e.getMessage());
        assertEquals(2, tailer.tailer().offset(), "it is not handled");
    }

    @Test
    void shouldRefuseEveryTruncationOfACall() {
        Everything writer = appender.methodWriter(Everything.class);
        Item item = new Item();
        writer.objects("text", "more", new byte[3], TimeUnit.DAYS, item);
        byte[] whole = log.records().get(0).value();
        MethodReader reader = tailer.methodReader(everything());
        reader.readOne();
        int shorter = 0;
        for (int length = 0; length < whole.length; length++) {
            long offset = appender.appender().append(Arrays.copyOf(whole, length));
            try {
                reader.readOne();
                shorter++; // ends between two arguments: an older version could have written it
            } catch (MalformedValueException e) {
                assertEquals(offset, e.offset());
                tailer.tailer().seek(offset + 1);
            }
        }
        assertEquals(5, shorter, "without 1, 2, 3, 4 and all arguments");
    }

    @Test
    void shouldRefuseValuesOfAnotherSchema() {
        byte[][] others = {
            "{\"json\": true}".getBytes(UTF_8),
            {},
            {(byte) 0xf1},
            {(byte) 0xf1, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f, 'x'},
            {(byte) 0xf1, (byte) 0x80, 0},
            {(byte) 0xf1, 13, 'c', 'a', 'n', 'c', 'e', 'l', 'D', 0, 0, 0, 0, 0, 0, 0, 0},
            {(byte) 0xf1, 13, 'c', 'a', 'n', 'c', 'e', 'l', 'N'},
            {(byte) 0xf1, 13, 'c', 'a', 'n', 'c', 'e', 'l', 'I', 0, 0, 0, 0, '?'},
            {(byte) 0xf1, 13, 'c', 'a', 'n', 'c', 'e', 'l', 'T', -1, -1, -1, -1},
        };
        Orders orders = new NoOrders();
        MethodReader reader = tailer.methodReader(orders);
        for (byte[] other : others) {
            long offset = appender.appender().append(other);
            MalformedValueException e =
                    assertThrows(
                            MalformedValueException.class,
                            () -> reader.readOne(),
                            Arrays.toString(other));
            assertEquals(offset, e.offset());
            tailer.tailer().seek(offset + 1);
        }
        appender.appender().append("tombstone".getBytes(UTF_8), null);
        assertTrue(reader.readOne());
        assertEquals(1, reader.skipped());
    }

    interface Longs {
        void price(long value);
    }

    interface Doubles {
        void price(double value);
    }

    interface Floats {
        void price(float value);
    }

    @Test
    void shouldReadAsAnotherTypeOnlyNumbersThatFit() {
        MethodReader doubles = tailer.methodReader((Doubles) value -> calls.add("" + value));
        MethodReader floats = tailer.methodReader((Floats) value -> calls.add("" + value));
        Longs longs = appender.methodWriter(Longs.class);
        for (long exact : new long[] {1L << 53, -(1L << 60), Long.MIN_VALUE}) {
            longs.price(exact);
            assertTrue(doubles.readOne());
            assertEquals("" + (double) exact, calls.remove(0));
        }
        for (long inexact : new long[] {(1L << 53) + 1, Long.MAX_VALUE}) {
            longs.price(inexact);
            assertThrows(MalformedValueException.class, doubles::readOne);
            assertThrows(MalformedValueException.class, floats::readOne);
            tailer.tailer().seekToEnd();
        }
        Doubles writer = appender.methodWriter(Doubles.class);
        for (double exact : new double[] {0.5, -0.0, Double.NaN, Double.NEGATIVE_INFINITY}) {
            writer.price(exact);
            assertTrue(floats.readOne());
            assertEquals("" + (float) exact, calls.remove(0));
        }
        writer.price(0.1);
        assertThrows(MalformedValueException.class, floats::readOne);
    }

    private static final class NoOrders implements Orders {
        @Override
        public void order(int id, Item item) {
            throw new AssertionError();
        }

        @Override
        public void cancel(int id) {
            throw new AssertionError();
        }
    }

    @Test
    void shouldAppendNothingWhenAnArgumentThrowsInTheMiddle() {
        Orders writer = appender.methodWriter(Orders.class);
        IllegalStateException broken = new IllegalStateException("broken on purpose");
        Item item =
                new Item() {
                    @Override
                    public void writeMarshallable(BytesOut<?> bytes) {
                        bytes.writeLong(1);
                        throw broken;
                    }
                };
        assertSame(broken, assertThrows(IllegalStateException.class, () -> writer.order(1, item)));
        Item calling =
                new Item() {
                    @Override
                    public void writeMarshallable(BytesOut<?> bytes) {
                        writer.cancel(1);
                    }
                };
        assertThrows(IllegalStateException.class, () -> writer.order(1, calling));
        assertEquals(0, log.partition.nextOffset());
        writer.cancel(3);
        assertEquals(13, log.records().get(0).value().length, "and nothing of them is left");
    }

    @Test
    void shouldPassOnWhatTheMethodThrowsAndCallAgain() {
        appender.methodWriter(Orders.class).cancel(3);
        IllegalStateException broken = new IllegalStateException("broken on purpose");
        int[] tries = new int[1];
        Orders failing =
                new Orders() {
                    @Override
                    public void order(int id, Item item) {}

                    @Override
                    public void cancel(int id) {
                        if (tries[0]++ == 0) {
                            throw broken;
                        }
                    }
                };
        MethodReader reader = tailer.methodReader(failing);
        assertSame(broken, assertThrows(IllegalStateException.class, () -> reader.readOne()));
        assertTrue(reader.readOne());
        assertEquals(2, tries[0]);
    }

    @Test
    void shouldWriteKeysAndBatches() {
        Orders keyed = appender.methodWriter(Orders.class, () -> "k".getBytes(UTF_8));
        keyed.cancel(1);
        Batch batch = appender.appender().newBatch();
        Orders batched = appender.methodWriter(Orders.class, batch);
        batched.cancel(2);
        batched.cancel(3);
        assertEquals(1, log.partition.nextOffset(), "the batch is the caller's to append");
        appender.appender().append(batch);
        List<StoredRecord> records = log.records();
        assertEquals(3, records.size());
        assertArrayEquals("k".getBytes(UTF_8), records.get(0).key());
    }

    interface Returning {
        int answer();
    }

    interface WithObject {
        void take(Object any);
    }

    interface Overloaded {
        void take(int a);

        void take(long a);
    }

    sealed interface Sealed {
        void take(long a);
    }

    static final class OnlySealed implements Sealed {
        @Override
        public void take(long a) {
            throw new AssertionError();
        }
    }

    @Test
    void shouldRefuseInterfacesThatCannotBeWritten() {
        for (Class<?> type :
                List.of(
                        Returning.class,
                        WithObject.class,
                        Overloaded.class,
                        Sealed.class,
                        String.class)) {
            InvalidOptionException e =
                    assertThrows(InvalidOptionException.class, () -> appender.methodWriter(type));
            assertNotNull(e.getMessage());
        }
        assertThrows(InvalidOptionException.class, () -> tailer.methodReader("no interface"));
        WithObject reader = any -> {};
        assertThrows(InvalidOptionException.class, () -> tailer.methodReader(reader));
    }
}
