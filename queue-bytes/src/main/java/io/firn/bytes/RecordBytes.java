package io.firn.bytes;

import io.firn.LogRecord;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import org.agrona.DirectBuffer;

/** The value of a record, read where it lies in the log. Not thread-safe. */
final class RecordBytes extends ValueBytes {
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private DirectBuffer value;

    RecordBytes() {
        super(Integer.MAX_VALUE);
    }

    /** Shows the value of a record, until its handler returns; no bytes if it has none. */
    RecordBytes of(LogRecord record) {
        value = record.directValue();
        restart(value == null ? 0 : value.capacity());
        return this;
    }

    /** Shows nothing any more, so that bytes that were kept cannot be read. */
    void end() {
        value = null;
        restart(0);
    }

    @Override
    byte byteAt(int at) {
        return value.getByte(at);
    }

    @Override
    short shortAt(int at) {
        return value.getShort(at, ORDER);
    }

    @Override
    int intAt(int at) {
        return value.getInt(at, ORDER);
    }

    @Override
    long longAt(int at) {
        return value.getLong(at, ORDER);
    }

    @Override
    void copy(int at, byte[] target, int from, int length) {
        value.getBytes(at, target, from, length);
    }

    @Override
    void byteAt(int at, byte newValue) {
        throw new ReadOnlyBufferException();
    }

    @Override
    void shortAt(int at, short newValue) {
        throw new ReadOnlyBufferException();
    }

    @Override
    void intAt(int at, int newValue) {
        throw new ReadOnlyBufferException();
    }

    @Override
    void longAt(int at, long newValue) {
        throw new ReadOnlyBufferException();
    }

    @Override
    void store(int at, byte[] source, int from, int length) {
        throw new ReadOnlyBufferException();
    }
}
