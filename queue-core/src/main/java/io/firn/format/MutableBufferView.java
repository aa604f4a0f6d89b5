package io.firn.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** A {@link BufferView} that can also be written to. Its size is fixed. Not thread-safe. */
public final class MutableBufferView extends BufferView implements MutableDirectBuffer {
    private static final byte ZERO = '0';

    @Override
    public boolean isExpandable() {
        return false;
    }

    @Override
    public void setMemory(int index, int count, byte value) {
        int at = at(index, count);
        for (int i = 0; i < count; i++) {
            memory().put(at + i, value);
        }
    }

    // ---- numbers

    @Override
    public void putLong(int index, long value, ByteOrder order) {
        memory().putLong(at(index, Long.BYTES), isBig(order) ? value : Long.reverseBytes(value));
    }

    @Override
    public void putLong(int index, long value) {
        putLong(index, value, ByteOrder.nativeOrder());
    }

    @Override
    public void putInt(int index, int value, ByteOrder order) {
        memory().putInt(
                        at(index, Integer.BYTES),
                        isBig(order) ? value : Integer.reverseBytes(value));
    }

    @Override
    public void putInt(int index, int value) {
        putInt(index, value, ByteOrder.nativeOrder());
    }

    @Override
    public void putShort(int index, short value, ByteOrder order) {
        memory().putShort(at(index, Short.BYTES), isBig(order) ? value : Short.reverseBytes(value));
    }

    @Override
    public void putShort(int index, short value) {
        putShort(index, value, ByteOrder.nativeOrder());
    }

    @Override
    public void putChar(int index, char value, ByteOrder order) {
        putShort(index, (short) value, order);
    }

    @Override
    public void putChar(int index, char value) {
        putShort(index, (short) value);
    }

    @Override
    public void putDouble(int index, double value, ByteOrder order) {
        putLong(index, Double.doubleToRawLongBits(value), order);
    }

    @Override
    public void putDouble(int index, double value) {
        putLong(index, Double.doubleToRawLongBits(value));
    }

    @Override
    public void putFloat(int index, float value, ByteOrder order) {
        putInt(index, Float.floatToRawIntBits(value), order);
    }

    @Override
    public void putFloat(int index, float value) {
        putInt(index, Float.floatToRawIntBits(value));
    }

    @Override
    public void putByte(int index, byte value) {
        memory().put(at(index, 1), value);
    }

    // ---- numbers in digits

    @Override
    public int putIntAscii(int index, int value) {
        return putLongAscii(index, value);
    }

    @Override
    public int putNaturalIntAscii(int index, int value) {
        return putNaturalLongAscii(index, value);
    }

    @Override
    public int putNaturalLongAscii(int index, long value) {
        requireNatural(value);
        return putLongAscii(index, value);
    }

    @Override
    public int putLongAscii(int index, long value) {
        int sign = value < 0 ? 1 : 0;
        long negative = value < 0 ? value : -value;
        int digits = 1;
        for (long rest = negative / 10; rest != 0; rest /= 10) {
            digits++;
        }
        int from = at(index, sign + digits);
        if (sign != 0) {
            memory().put(from, (byte) '-');
        }
        putDigits(from + sign, digits, negative);
        return sign + digits;
    }

    @Override
    public void putNaturalPaddedIntAscii(int index, int count, int value) {
        requireNatural(value);
        if (putDigits(at(index, count), count, -value) != 0) {
            throw new NumberFormatException(value + " has more than " + count + " digits");
        }
    }

    @Override
    public int putNaturalIntAsciiFromEnd(int value, int endExclusive) {
        requireNatural(value);
        int index = endExclusive;
        int rest = value;
        while (rest > 0) { // no digit for 0, as in Agrona
            putByte(--index, (byte) (ZERO + rest % 10));
            rest /= 10;
        }
        return index;
    }

    private static void requireNatural(long value) {
        if (value < 0) {
            throw new NumberFormatException("a number from 0 on is expected, found " + value);
        }
    }

    /** Writes the last digits of a number that is not positive; returns the rest of it. */
    private long putDigits(int from, int count, long negative) {
        long rest = negative;
        for (int i = count - 1; i >= 0; i--) {
            memory().put(from + i, (byte) (ZERO - rest % 10));
            rest /= 10;
        }
        return rest;
    }

    // ---- bytes

    @Override
    public void putBytes(int index, byte[] source) {
        putBytes(index, source, 0, source.length);
    }

    @Override
    public void putBytes(int index, byte[] source, int offset, int count) {
        memory().put(at(index, count), source, offset, count);
    }

    @Override
    public void putBytes(int index, ByteBuffer source, int count) {
        int position = source.position();
        putBytes(index, source, position, count);
        source.position(position + count);
    }

    @Override
    public void putBytes(int index, ByteBuffer source, int sourceIndex, int count) {
        memory().put(at(index, count), source, sourceIndex, count);
    }

    @Override
    public void putBytes(int index, DirectBuffer source, int sourceIndex, int count) {
        // The bytes are in an array: a claim's buffer is one.
        int at = at(index, count);
        source.getBytes(sourceIndex, memory().array(), memory().arrayOffset() + at, count);
    }

    // ---- text

    @Override
    public int putStringAscii(int index, String value) {
        return putStringAscii(index, (CharSequence) value);
    }

    @Override
    public int putStringAscii(int index, CharSequence value) {
        return putStringAscii(index, value, ByteOrder.nativeOrder());
    }

    @Override
    public int putStringAscii(int index, String value, ByteOrder order) {
        return putStringAscii(index, (CharSequence) value, order);
    }

    @Override
    public int putStringAscii(int index, CharSequence value, ByteOrder order) {
        int count = value == null ? 0 : value.length();
        boundsCheck(index, STR_HEADER_LEN + count);
        putInt(index, count, order);
        return STR_HEADER_LEN + putStringWithoutLengthAscii(index + STR_HEADER_LEN, value);
    }

    @Override
    public int putStringWithoutLengthAscii(int index, String value) {
        return putStringWithoutLengthAscii(index, (CharSequence) value);
    }

    @Override
    public int putStringWithoutLengthAscii(int index, CharSequence value) {
        return value == null ? 0 : putAscii(index, value, 0, value.length());
    }

    @Override
    public int putStringWithoutLengthAscii(int index, String value, int valueOffset, int most) {
        return putStringWithoutLengthAscii(index, (CharSequence) value, valueOffset, most);
    }

    @Override
    public int putStringWithoutLengthAscii(
            int index, CharSequence value, int valueOffset, int most) {
        return value == null
                ? 0
                : putAscii(index, value, valueOffset, Math.min(value.length() - valueOffset, most));
    }

    private int putAscii(int index, CharSequence value, int valueOffset, int count) {
        int at = at(index, count);
        for (int i = 0; i < count; i++) {
            char c = value.charAt(valueOffset + i);
            memory().put(at + i, (byte) (c > 127 ? '?' : c));
        }
        return count;
    }

    @Override
    public int putStringUtf8(int index, String value) {
        return putStringUtf8(index, value, Integer.MAX_VALUE);
    }

    @Override
    public int putStringUtf8(int index, String value, ByteOrder order) {
        return putStringUtf8(index, value, order, Integer.MAX_VALUE);
    }

    @Override
    public int putStringUtf8(int index, String value, int maxEncodedLength) {
        return putStringUtf8(index, value, ByteOrder.nativeOrder(), maxEncodedLength);
    }

    @Override
    public int putStringUtf8(int index, String value, ByteOrder order, int maxEncodedLength) {
        byte[] bytes = value == null ? new byte[0] : value.getBytes(UTF_8);
        if (bytes.length > maxEncodedLength) {
            throw new IllegalArgumentException(
                    "the text has " + bytes.length + " bytes, at most " + maxEncodedLength);
        }
        boundsCheck(index, STR_HEADER_LEN + bytes.length);
        putInt(index, bytes.length, order);
        putBytes(index + STR_HEADER_LEN, bytes);
        return STR_HEADER_LEN + bytes.length;
    }

    @Override
    public int putStringWithoutLengthUtf8(int index, String value) {
        byte[] bytes = value == null ? new byte[0] : value.getBytes(UTF_8);
        putBytes(index, bytes);
        return bytes.length;
    }
}
