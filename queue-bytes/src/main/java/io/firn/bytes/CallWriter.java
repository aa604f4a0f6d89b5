package io.firn.bytes;

import io.firn.Appender;
import net.openhft.chronicle.bytes.WriteBytesMarshallable;

/**
 * Encodes the calls of a method writer; applications do not use it. It is public because the
 * classes that {@link BytesAppender#methodWriter} creates are in the packages of their interfaces.
 * Not thread-safe.
 */
public final class CallWriter {
    private final byte[][] heads;
    private final Sink sink;
    private final GrowingBytes bytes = new GrowingBytes();
    private boolean isNested;

    /** Takes what was encoded. */
    @FunctionalInterface
    interface Sink {
        void take(byte[] array, int length);
    }

    CallWriter(byte[][] heads, Sink sink) {
        this.heads = heads;
        this.sink = sink;
    }

    /** Begins the call of a method. */
    public CallWriter begin(int method) {
        if (isNested) {
            throw new IllegalStateException(
                    "a call is being written: an argument must not call the same writer");
        }
        bytes.restart(0);
        bytes.write(heads[method]);
        return this;
    }

    private GrowingBytes tag(char tag) {
        bytes.writeByte((byte) tag);
        return bytes;
    }

    /** Writes an argument. */
    public CallWriter put(boolean value) {
        tag('Z').writeByte((byte) (value ? 1 : 0));
        return this;
    }

    /** Writes an argument. */
    public CallWriter put(byte value) {
        tag('B').writeByte(value);
        return this;
    }

    /** Writes an argument. */
    public CallWriter put(short value) {
        tag('S').writeShort(value);
        return this;
    }

    /** Writes an argument. */
    public CallWriter put(char value) {
        tag('C').writeShort((short) value);
        return this;
    }

    /** Writes an argument. */
    public CallWriter put(int value) {
        tag('I').writeInt(value);
        return this;
    }

    /** Writes an argument. */
    public CallWriter put(long value) {
        tag('J').writeLong(value);
        return this;
    }

    /** Writes an argument. */
    public CallWriter put(float value) {
        tag('F').writeFloat(value);
        return this;
    }

    /** Writes an argument. */
    public CallWriter put(double value) {
        tag('D').writeDouble(value);
        return this;
    }

    /** Writes an argument, which may be null. */
    public CallWriter put(CharSequence value) {
        if (value == null) {
            tag(CallForm.NULL);
            return this;
        }
        long at = begin(CallForm.TEXT);
        bytes.writeChars(value);
        return end(at);
    }

    /** Writes an argument, which may be null. */
    public CallWriter put(Enum<?> value) {
        return put(value == null ? null : value.name());
    }

    /** Writes an argument, which may be null. */
    public CallWriter put(byte[] value) {
        if (value == null) {
            tag(CallForm.NULL);
            return this;
        }
        tag(CallForm.BYTES).writeInt(value.length).write(value);
        return this;
    }

    /** Writes an argument, which may be null. */
    public CallWriter put(WriteBytesMarshallable value) {
        if (value == null) {
            tag(CallForm.NULL);
            return this;
        }
        long at = begin(CallForm.FIELDS);
        isNested = true;
        try {
            value.writeMarshallable(bytes);
        } finally {
            isNested = false;
        }
        return end(at);
    }

    private long begin(char tag) {
        tag(tag).writeInt(0);
        return bytes.writePosition();
    }

    private CallWriter end(long from) {
        long length = bytes.writePosition() - from;
        if (length < 0) {
            throw new IllegalStateException(
                    "a writeMarshallable moved the write position to before its own fields");
        }
        bytes.writeInt(from - Integer.BYTES, (int) length);
        return this;
    }

    /** Appends the call, as {@link Appender#append(byte[])} does. */
    public void end() {
        sink.take(bytes.array(), (int) bytes.writePosition());
    }
}
