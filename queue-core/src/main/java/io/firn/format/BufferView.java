package io.firn.format;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Shows a part of a buffer as Agrona's users expect it, through the JDK's public API only: Agrona's
 * own classes need access that newer JVMs warn of or refuse. It has neither an address nor an
 * array, since either would give out memory that may be unmapped, and cannot be wrapped around
 * something else. Every access is checked. Not thread-safe.
 */
public class BufferView implements DirectBuffer {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private ByteBuffer memory = NOTHING;
    private int from;
    private int length;

    /**
     * Shows other bytes.
     *
     * @param bytes big-endian, at least up to the end of the part
     */
    public final BufferView show(ByteBuffer bytes, int at, int count) {
        memory = bytes;
        from = at;
        length = count;
        return this;
    }

    /** Shows nothing, so that each access throws. */
    public final void hide() {
        memory = NOTHING;
        from = 0;
        length = 0;
    }

    /** Returns the buffer that the bytes are in. */
    final ByteBuffer memory() {
        return memory;
    }

    /** Returns where in the buffer a number of bytes is, all of which are shown. */
    final int at(int index, int count) {
        return from + Objects.checkFromIndexSize(index, count, length);
    }

    static boolean isBig(ByteOrder order) {
        return order == ByteOrder.BIG_ENDIAN;
    }

    @Override
    public int capacity() {
        return length;
    }

    @Override
    public void boundsCheck(int index, int count) {
        Objects.checkFromIndexSize(index, count, length);
    }

    @Override
    public void checkLimit(int limit) {
        Objects.checkFromToIndex(0, limit, length);
    }

    @Override
    public byte[] byteArray() {
        return null;
    }

    @Override
    public ByteBuffer byteBuffer() {
        return null;
    }

    @Override
    public int wrapAdjustment() {
        return 0;
    }

    @Override
    public long addressOffset() {
        throw new UnsupportedOperationException(
                "bytes of the log have no address that may be used: read them with the get methods,"
                        + " for example getBytes into an array");
    }

    @Override
    public void wrap(byte[] buffer) {
        throw fixed();
    }

    @Override
    public void wrap(byte[] buffer, int offset, int count) {
        throw fixed();
    }

    @Override
    public void wrap(ByteBuffer buffer) {
        throw fixed();
    }

    @Override
    public void wrap(ByteBuffer buffer, int offset, int count) {
        throw fixed();
    }

    @Override
    public void wrap(DirectBuffer buffer) {
        throw fixed();
    }

    @Override
    public void wrap(DirectBuffer buffer, int offset, int count) {
        throw fixed();
    }

    @Override
    public void wrap(long address, int count) {
        throw fixed();
    }

    private static UnsupportedOperationException fixed() {
        return new UnsupportedOperationException(
                "this buffer belongs to the log and shows one of its records: wrap another one");
    }

    // ---- numbers

    @Override
    public long getLong(int index, ByteOrder order) {
        long value = memory.getLong(at(index, Long.BYTES));
        return isBig(order) ? value : Long.reverseBytes(value);
    }

    @Override
    public long getLong(int index) {
        return getLong(index, ByteOrder.nativeOrder());
    }

    @Override
    public int getInt(int index, ByteOrder order) {
        int value = memory.getInt(at(index, Integer.BYTES));
        return isBig(order) ? value : Integer.reverseBytes(value);
    }

    @Override
    public int getInt(int index) {
        return getInt(index, ByteOrder.nativeOrder());
    }

    @Override
    public short getShort(int index, ByteOrder order) {
        short value = memory.getShort(at(index, Short.BYTES));
        return isBig(order) ? value : Short.reverseBytes(value);
    }

    @Override
    public short getShort(int index) {
        return getShort(index, ByteOrder.nativeOrder());
    }

    @Override
    public char getChar(int index, ByteOrder order) {
        return (char) getShort(index, order);
    }

    @Override
    public char getChar(int index) {
        return (char) getShort(index);
    }

    @Override
    public double getDouble(int index, ByteOrder order) {
        return Double.longBitsToDouble(getLong(index, order));
    }

    @Override
    public double getDouble(int index) {
        return Double.longBitsToDouble(getLong(index));
    }

    @Override
    public float getFloat(int index, ByteOrder order) {
        return Float.intBitsToFloat(getInt(index, order));
    }

    @Override
    public float getFloat(int index) {
        return Float.intBitsToFloat(getInt(index));
    }

    @Override
    public byte getByte(int index) {
        return memory.get(at(index, 1));
    }

    // ---- numbers in digits

    @Override
    public int parseNaturalIntAscii(int index, int count) {
        return toInt(parse(index, count, false));
    }

    @Override
    public long parseNaturalLongAscii(int index, int count) {
        return parse(index, count, false);
    }

    @Override
    public int parseIntAscii(int index, int count) {
        return toInt(parse(index, count, true));
    }

    @Override
    public long parseLongAscii(int index, int count) {
        return parse(index, count, true);
    }

    private static int toInt(long value) {
        if (value != (int) value) {
            throw new NumberFormatException("an int is expected, found " + value);
        }
        return (int) value;
    }

    /** Adds up a negative number, because there is one more of them. */
    private long parse(int index, int count, boolean maySign) {
        boolean isNegative = maySign && count > 1 && getByte(index) == '-';
        long value = 0;
        boolean fits = count > 0;
        for (int i = isNegative ? 1 : 0; i < count && fits; i++) {
            int digit = getByte(index + i) - '0';
            fits = digit >= 0 && digit <= 9 && value >= (Long.MIN_VALUE + digit) / 10;
            value = value * 10 - digit;
        }
        if (!fits || (!isNegative && value == Long.MIN_VALUE)) {
            throw new NumberFormatException(
                    "a number in digits is expected, found '"
                            + getStringWithoutLengthAscii(index, Math.min(count, 32))
                            + "'");
        }
        return isNegative ? value : -value;
    }

    // ---- bytes

    @Override
    public void getBytes(int index, byte[] target) {
        getBytes(index, target, 0, target.length);
    }

    @Override
    public void getBytes(int index, byte[] target, int offset, int count) {
        memory.get(at(index, count), target, offset, count);
    }

    @Override
    public void getBytes(int index, MutableDirectBuffer target, int targetIndex, int count) {
        int at = at(index, count);
        target.boundsCheck(targetIndex, count);
        byte[] array = target.byteArray();
        if (array != null) {
            memory.get(at, array, target.wrapAdjustment() + targetIndex, count);
            return;
        }
        int i = 0;
        for (; i + Long.BYTES <= count; i += Long.BYTES) {
            target.putLong(targetIndex + i, memory.getLong(at + i), ByteOrder.BIG_ENDIAN);
        }
        for (; i < count; i++) {
            target.putByte(targetIndex + i, memory.get(at + i));
        }
    }

    @Override
    public void getBytes(int index, ByteBuffer target, int count) {
        int position = target.position();
        getBytes(index, target, position, count);
        target.position(position + count);
    }

    @Override
    public void getBytes(int index, ByteBuffer target, int targetOffset, int count) {
        target.put(targetOffset, memory, at(index, count), count);
    }

    // ---- text

    @Override
    public String getStringAscii(int index) {
        return text(index + STR_HEADER_LEN, getInt(index), US_ASCII);
    }

    @Override
    public String getStringAscii(int index, ByteOrder order) {
        return text(index + STR_HEADER_LEN, getInt(index, order), US_ASCII);
    }

    @Override
    public String getStringAscii(int index, int count) {
        return text(index + STR_HEADER_LEN, count, US_ASCII);
    }

    @Override
    public String getStringWithoutLengthAscii(int index, int count) {
        return text(index, count, US_ASCII);
    }

    @Override
    public String getStringUtf8(int index) {
        return text(index + STR_HEADER_LEN, getInt(index), UTF_8);
    }

    @Override
    public String getStringUtf8(int index, ByteOrder order) {
        return text(index + STR_HEADER_LEN, getInt(index, order), UTF_8);
    }

    @Override
    public String getStringUtf8(int index, int count) {
        return text(index + STR_HEADER_LEN, count, UTF_8);
    }

    @Override
    public String getStringWithoutLengthUtf8(int index, int count) {
        return text(index, count, UTF_8);
    }

    private String text(int index, int count, Charset charset) {
        boundsCheck(index, count); // before memory is taken for it
        byte[] bytes = new byte[count];
        getBytes(index, bytes);
        return new String(bytes, charset);
    }

    @Override
    public int getStringAscii(int index, Appendable target) {
        return append(index + STR_HEADER_LEN, getInt(index), target);
    }

    @Override
    public int getStringAscii(int index, Appendable target, ByteOrder order) {
        return append(index + STR_HEADER_LEN, getInt(index, order), target);
    }

    @Override
    public int getStringAscii(int index, int count, Appendable target) {
        return append(index + STR_HEADER_LEN, count, target);
    }

    @Override
    public int getStringWithoutLengthAscii(int index, int count, Appendable target) {
        return append(index, count, target);
    }

    private int append(int index, int count, Appendable target) {
        int at = at(index, count);
        try {
            for (int i = 0; i < count; i++) {
                byte b = memory.get(at + i);
                target.append(b < 0 ? '?' : (char) b);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return count;
    }

    /** Compares the bytes as signed numbers, as Agrona's own buffers do. */
    @Override
    public int compareTo(DirectBuffer other) {
        int shared = Math.min(capacity(), other.capacity());
        for (int i = 0; i < shared; i++) {
            int order = Byte.compare(getByte(i), other.getByte(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(capacity(), other.capacity());
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + length + " bytes]";
    }
}
