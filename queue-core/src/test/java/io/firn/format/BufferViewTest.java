package io.firn.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Agrona's own buffer is the model. */
class BufferViewTest {
    private static final int BEFORE = 5;
    private static final int LENGTH = 64;
    private static final List<ByteOrder> ORDERS =
            List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN);

    private final Random random = new Random(7);
    private final byte[] array = new byte[BEFORE + LENGTH + 9];
    private final byte[] model = new byte[array.length];
    private final MutableBufferView view = new MutableBufferView();
    private final MutableDirectBuffer expected = new UnsafeBuffer(model, BEFORE, LENGTH);

    BufferViewTest() {
        random.nextBytes(array);
        System.arraycopy(array, 0, model, 0, array.length);
        view.show(ByteBuffer.wrap(array), BEFORE, LENGTH);
    }

    private void both(Consumer<MutableDirectBuffer> change) {
        change.accept(view);
        change.accept(expected);
        assertArrayEquals(model, array);
    }

    private void same(Function<DirectBuffer, Object> read) {
        ByteBuffer direct = ByteBuffer.allocateDirect(array.length).put(array).flip();
        BufferView readOnly = new BufferView();
        readOnly.show(direct.asReadOnlyBuffer(), BEFORE, LENGTH);
        assertEquals(read.apply(expected), read.apply(view));
        assertEquals(read.apply(expected), read.apply(readOnly));
    }

    @Test
    void shouldStoreAndLoadNumbersAsAgronaDoes() {
        for (int index : new int[] {0, 1, 7, LENGTH - 8}) {
            long value = random.nextLong();
            both(b -> b.putLong(index, value));
            both(b -> b.putInt(index, (int) value));
            both(b -> b.putShort(index, (short) value));
            both(b -> b.putChar(index, (char) value));
            both(b -> b.putByte(index, (byte) value));
            both(b -> b.putDouble(index, Double.NaN));
            both(b -> b.putFloat(index, -1.5f));
            for (ByteOrder order : ORDERS) {
                both(b -> b.putLong(index, value, order));
                same(b -> b.getLong(index, order));
                same(b -> b.getInt(index, order));
                same(b -> b.getShort(index, order));
                same(b -> b.getChar(index, order));
                same(b -> b.getDouble(index, order));
                same(b -> b.getFloat(index, order));
                both(b -> b.putInt(index, (int) value, order));
                both(b -> b.putShort(index, (short) value, order));
                both(b -> b.putChar(index, (char) value, order));
                both(b -> b.putDouble(index, value / 3.0, order));
                both(b -> b.putFloat(index, value / 3.0f, order));
            }
            same(b -> b.getLong(index));
            same(b -> b.getInt(index));
            same(b -> b.getShort(index));
            same(b -> b.getChar(index));
            same(b -> b.getByte(index));
            same(b -> b.getDouble(index));
            same(b -> b.getFloat(index));
        }
    }

    @Test
    void shouldWriteAndParseDigitsAsAgronaDoes() {
        long[] values = {0, 7, 10, -1, -99, 123_456, Integer.MIN_VALUE, Integer.MAX_VALUE};
        for (long value : values) {
            both(b -> assertEquals(("" + value).length(), b.putIntAscii(3, (int) value)));
            same(b -> b.parseIntAscii(3, ("" + value).length()));
            same(b -> b.parseLongAscii(3, ("" + value).length()));
            if (value >= 0) {
                both(b -> b.putNaturalIntAscii(20, (int) value));
                both(b -> b.putNaturalLongAscii(30, value));
                both(b -> b.putNaturalPaddedIntAscii(40, 10, (int) value));
                both(b -> b.putNaturalIntAsciiFromEnd((int) value, 20));
                same(b -> b.parseNaturalIntAscii(40, 10));
                same(b -> b.parseNaturalLongAscii(40, 10));
            }
        }
        for (long value : new long[] {Long.MIN_VALUE, Long.MAX_VALUE}) {
            both(b -> b.putLongAscii(1, value));
            same(b -> b.parseLongAscii(1, ("" + value).length()));
        }
        for (String wrong :
                List.of("x", "-", "1-", "9223372036854775808", "99999999999999999999")) {
            both(b -> b.putStringWithoutLengthAscii(0, wrong));
            for (DirectBuffer buffer : List.of(view, expected)) {
                assertThrows(
                        NumberFormatException.class,
                        () -> buffer.parseLongAscii(0, wrong.length()),
                        wrong);
            }
        }
        both(b -> b.putIntAscii(0, -1));
        assertThrows(NumberFormatException.class, () -> view.parseNaturalIntAscii(0, 2));
        assertThrows(NumberFormatException.class, () -> view.putNaturalIntAscii(0, -1));
        assertThrows(NumberFormatException.class, () -> view.putNaturalPaddedIntAscii(0, 2, 100));
    }

    @Test
    void shouldStoreAndLoadTextAsAgronaDoes() {
        for (String text : List.of("", "plain", "grün")) {
            both(b -> b.putStringAscii(0, text));
            same(b -> b.getStringAscii(0));
            same(b -> appended(b, 0));
            both(b -> b.putStringWithoutLengthAscii(1, text));
            both(b -> b.putStringWithoutLengthAscii(1, text, 0, 3));
            same(b -> b.getStringWithoutLengthAscii(1, text.length()));
            both(b -> b.putStringUtf8(2, text));
            same(b -> b.getStringUtf8(2));
            both(b -> b.putStringWithoutLengthUtf8(3, text));
            same(b -> b.getStringWithoutLengthUtf8(3, 2));
            for (ByteOrder order : ORDERS) {
                both(b -> b.putStringAscii(0, text, order));
                same(b -> b.getStringAscii(0, order));
                both(b -> b.putStringUtf8(0, text, order));
                same(b -> b.getStringUtf8(0, order));
            }
        }
        both(b -> b.putStringAscii(0, (String) null));
    }

    private static String appended(DirectBuffer buffer, int index) {
        StringBuilder text = new StringBuilder();
        int length = buffer.getStringAscii(index, text);
        return length + ":" + text;
    }

    @Test
    void shouldCopyBytesAsAgronaDoes() {
        byte[] source = new byte[40];
        random.nextBytes(source);
        both(b -> b.putBytes(1, source));
        both(b -> b.putBytes(2, source, 3, 30));
        both(b -> b.putBytes(3, ByteBuffer.wrap(source), 4, 20));
        both(b -> b.putBytes(4, ByteBuffer.wrap(source).position(2), 20));
        both(b -> b.putBytes(5, new UnsafeBuffer(source), 6, 21));
        both(b -> b.setMemory(50, 10, (byte) 9));
        same(
                b -> {
                    byte[] target = new byte[30];
                    b.getBytes(2, target, 1, 29);
                    ByteBuffer buffer = ByteBuffer.allocateDirect(40);
                    b.getBytes(3, buffer, 11);
                    b.getBytes(3, buffer, 20, 11);
                    MutableDirectBuffer array = new UnsafeBuffer(new byte[40], 3, 30);
                    b.getBytes(1, array, 2, 21);
                    MutableDirectBuffer offHeap = new UnsafeBuffer(ByteBuffer.allocateDirect(40));
                    b.getBytes(1, offHeap, 2, 21);
                    return List.of(
                            ByteBuffer.wrap(target),
                            buffer.position(),
                            buffer.clear(),
                            array.getStringWithoutLengthAscii(0, 30),
                            offHeap.getStringWithoutLengthAscii(0, 40));
                });
        assertEquals(0, view.compareTo(expected));
        expected.putByte(LENGTH - 1, (byte) (expected.getByte(LENGTH - 1) + 1));
        assertTrue(view.compareTo(expected) != 0);
    }

    @Test
    void shouldReachNoByteThatItDoesNotShow() {
        assertEquals(LENGTH, view.capacity());
        assertThrows(IndexOutOfBoundsException.class, () -> view.putLong(LENGTH - 7, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> view.getLong(-1));
        assertThrows(IndexOutOfBoundsException.class, () -> view.getByte(LENGTH));
        assertThrows(IndexOutOfBoundsException.class, () -> view.putBytes(60, new byte[5]));
        assertThrows(IndexOutOfBoundsException.class, () -> view.boundsCheck(1, LENGTH));
        assertThrows(IndexOutOfBoundsException.class, () -> view.checkLimit(LENGTH + 1));
        view.checkLimit(LENGTH);
        view.putInt(0, Integer.MAX_VALUE);
        assertThrows(IndexOutOfBoundsException.class, () -> view.getStringUtf8(0));
        view.putInt(0, -1);
        assertThrows(IndexOutOfBoundsException.class, () -> view.getStringAscii(0));
        view.hide();
        assertEquals(0, view.capacity());
        assertThrows(IndexOutOfBoundsException.class, () -> view.putByte(0, (byte) 1));
    }

    @Test
    void shouldGiveOutNothingThatReachesBeyondIt() {
        assertThrows(UnsupportedOperationException.class, view::addressOffset);
        assertThrows(UnsupportedOperationException.class, () -> view.wrap(new byte[1]));
        assertThrows(UnsupportedOperationException.class, () -> new UnsafeBuffer(view));
    }
}
