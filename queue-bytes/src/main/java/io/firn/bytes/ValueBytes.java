package io.firn.bytes;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Objects;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.BytesStore;

/**
 * Text, stop-bit numbers and other values of several bytes, encoded as by Chronicle's own bytes.
 * Not thread-safe.
 */
abstract class ValueBytes extends PositionedBytes {
    private static final int LOW = 0x7f;
    private static final int MORE = 0x80;
    private static final int LAST_CHARS = 0xff80;
    private final StringBuilder text = new StringBuilder();

    ValueBytes(long capacity) {
        super(capacity);
    }

    // ---- numbers of as many bytes as they need

    @Override
    public Bytes<Void> writeStopBit(long value) {
        long rest = value < 0 ? ~value : value;
        while (rest > LOW) {
            writeByte((byte) (MORE | (rest & LOW)));
            rest >>>= 7;
        }
        if (value < 0) {
            return writeByte((byte) (MORE | rest)).writeByte((byte) 0);
        }
        return writeByte((byte) rest);
    }

    @Override
    public Bytes<Void> writeStopBit(char value) {
        // The last chars are written as if they were negative, which takes a byte less.
        return writeStopBit(value < LAST_CHARS ? (long) value : (long) (short) value);
    }

    @Override
    public long readStopBit() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE + 7; shift += 7) {
            int next = readUnsignedByte();
            if (next < 0) {
                return 0; // lenient, at the end
            }
            if (next < MORE) {
                return next == 0 && shift > 0 ? ~value : value | (long) next << shift;
            }
            value |= (long) (next & LOW) << shift;
        }
        throw new IllegalStateException("a number of up to 10 bytes is expected, found no end");
    }

    @Override
    public char readStopBitChar() {
        long value = readStopBit();
        if (value != (char) value && value != (byte) value) {
            throw new IllegalStateException("a char is expected, found " + value);
        }
        return (char) value;
    }

    // ---- text

    @Override
    public Bytes<Void> writeUtf8(CharSequence value) {
        if (value == null) {
            return writeStopBit(-1);
        }
        int length = value.length();
        long bytes = length;
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            bytes += c <= LOW ? 0 : c <= 0x7ff ? 1 : 2;
        }
        writeStopBit(bytes);
        writeChars(value);
        return this;
    }

    /** Writes text in UTF-8, without its length. */
    final void writeChars(CharSequence value) {
        int length = value.length();
        for (int i = 0; i < length; i++) {
            writeUtf8Char(value.charAt(i));
        }
    }

    /** Halves of pairs are encoded one by one, as Chronicle does. */
    private void writeUtf8Char(char c) {
        if (c <= LOW) {
            writeByte((byte) c);
        } else if (c <= 0x7ff) {
            writeByte((byte) (0xc0 | c >> 6));
            writeByte((byte) (MORE | (c & 0x3f)));
        } else {
            writeByte((byte) (0xe0 | c >> 12));
            writeByte((byte) (MORE | (c >> 6 & 0x3f)));
            writeByte((byte) (MORE | (c & 0x3f)));
        }
    }

    @Override
    public Bytes<Void> writeUtf8(String value) {
        return writeUtf8((CharSequence) value);
    }

    @Override
    public Bytes<Void> write8bit(CharSequence value) {
        return value == null ? writeStopBit(-1) : write8bit(value, 0, value.length());
    }

    @Override
    public Bytes<Void> write8bit(String value) {
        return write8bit((CharSequence) value);
    }

    @Override
    public Bytes<Void> write8bit(String value, int from, int length) {
        return write8bit((CharSequence) value, from, length);
    }

    @Override
    public Bytes<Void> write8bit(CharSequence value, int from, int length) {
        Objects.checkFromIndexSize(from, length, value.length());
        writeStopBit(length);
        for (int i = 0; i < length; i++) {
            char c = value.charAt(from + i);
            writeByte((byte) (c > 0xff ? '?' : c));
        }
        return this;
    }

    @Override
    public long write8bit(long offset, String value, int from, int length) {
        throw new UnsupportedOperationException("write8bit at an offset");
    }

    @Override
    public long write8bit(long offset, BytesStore<?, ?> value) {
        throw new UnsupportedOperationException("write8bit at an offset");
    }

    @Override
    public String readUtf8() {
        return readUtf8(text) ? text.toString() : null;
    }

    @Override
    public boolean readUtf8(StringBuilder target) {
        target.setLength(0);
        long end = endOfText();
        if (end >= 0) {
            readChars(target, end);
        }
        return end >= 0;
    }

    /** Reads text in UTF-8, up to a position. */
    final void readChars(StringBuilder target, long end) {
        while (readPosition() < end) {
            int b = readByte();
            if (b >= 0) {
                target.append((char) b);
            } else if ((b & 0xe0) == 0xc0) {
                target.append((char) ((b & 0x1f) << 6 | next(end)));
            } else if ((b & 0xf0) == 0xe0) {
                target.append((char) ((b & 0xf) << 12 | next(end) << 6 | next(end)));
            } else if ((b & 0xf8) == 0xf0) {
                int c = (b & 7) << 18 | next(end) << 12 | next(end) << 6 | next(end);
                target.appendCodePoint(c);
            } else {
                throw notUtf8(b);
            }
        }
    }

    private int next(long end) {
        int b = readPosition() < end ? readByte() : 0;
        if ((b & 0xc0) != MORE) {
            throw notUtf8(b);
        }
        return b & 0x3f;
    }

    private static IllegalStateException notUtf8(int b) {
        return new IllegalStateException("UTF-8 is expected, found the byte " + (b & 0xff));
    }

    @Override
    public String read8bit() {
        return read8bit(text) ? text.toString() : null;
    }

    @Override
    public boolean read8bit(StringBuilder target) {
        target.setLength(0);
        long end = endOfText();
        while (readPosition() < end) {
            target.append((char) (readByte() & 0xff));
        }
        return end >= 0;
    }

    /** Reads a length; −1 when there is no text. */
    private long endOfText() {
        if (lenient() && readRemaining() == 0) {
            return -1;
        }
        long length = readStopBit();
        if (length < -1 || length > readRemaining()) {
            throw new BufferUnderflowException();
        }
        return length < 0 ? -1 : readPosition() + length;
    }

    @Override
    public Bytes<Void> writeBoolean(boolean value) {
        return writeByte((byte) (value ? 'Y' : 'N'));
    }

    @Override
    public boolean readBoolean() {
        byte value = readByte();
        return value == 'Y' || value == 't' || value == 'T' || value == 'y' || value == 1;
    }

    @Override
    public <E extends Enum<E>> Bytes<Void> writeEnum(E value) {
        return write8bit(value.name());
    }

    @Override
    public <E extends Enum<E>> E readEnum(Class<E> type) {
        String name = read8bit();
        return name == null ? null : Enum.valueOf(type, name);
    }

    // ---- forms of others

    @Override
    public float readFloat() {
        return Float.intBitsToFloat(readInt());
    }

    @Override
    public float readFloat(long offset) {
        return Float.intBitsToFloat(readInt(offset));
    }

    @Override
    public double readDouble() {
        return Double.longBitsToDouble(readLong());
    }

    @Override
    public double readDouble(long offset) {
        return Double.longBitsToDouble(readLong(offset));
    }

    @Override
    public void read(ByteBuffer target) {
        int count = (int) Math.min(target.remaining(), readRemaining());
        for (int i = 0; i < count; i++) {
            target.put(readByte());
        }
    }

    @Override
    public Bytes<Void> writeFloat(float value) {
        return writeInt(Float.floatToRawIntBits(value));
    }

    @Override
    public Bytes<Void> writeFloat(long offset, float value) {
        return writeInt(offset, Float.floatToRawIntBits(value));
    }

    @Override
    public Bytes<Void> writeDouble(double value) {
        return writeLong(Double.doubleToRawLongBits(value));
    }

    @Override
    public Bytes<Void> writeDouble(long offset, double value) {
        return writeLong(offset, Double.doubleToRawLongBits(value));
    }

    @Override
    public Bytes<Void> write(BytesStore<?, ?> source) {
        return write(source, source.readPosition(), source.readRemaining());
    }

    @Override
    public Bytes<Void> write(BytesStore<?, ?> source, long from, long length) {
        for (long i = 0; i < length; i++) {
            writeByte(source.readByte(from + i));
        }
        return this;
    }

    @Override
    public Bytes<Void> writeSome(ByteBuffer source) {
        int count = (int) Math.min(source.remaining(), writeRemaining());
        for (int i = 0; i < count; i++) {
            writeByte(source.get());
        }
        return this;
    }

    @Override
    public String toString() {
        return "Bytes[" + readPosition() + " to " + writePosition() + "]";
    }
}
