package io.firn.bytes;

import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.util.Objects;
import net.openhft.chronicle.bytes.Bytes;

/**
 * Positions, numbers and arrays, in Chronicle's order of bytes on all machines that Firn runs on:
 * little-endian. Where the bytes are is left to subclasses. Not thread-safe.
 */
abstract class PositionedBytes extends UnsharedBytes {
    private final long capacity;
    private long readPosition;
    private long writePosition;
    private long writeLimit;
    private boolean lenient;

    PositionedBytes(long capacity) {
        this.capacity = capacity;
        writeLimit = capacity;
    }

    abstract byte byteAt(int at);

    abstract short shortAt(int at);

    abstract int intAt(int at);

    abstract long longAt(int at);

    abstract void copy(int at, byte[] target, int from, int length);

    abstract void byteAt(int at, byte value);

    abstract void shortAt(int at, short value);

    abstract void intAt(int at, int value);

    abstract void longAt(int at, long value);

    abstract void store(int at, byte[] source, int from, int length);

    /** Begins anew, with a number of bytes that can be read. */
    final void restart(int length) {
        readPosition = 0;
        writePosition = length;
        writeLimit = capacity;
        lenient = false;
    }

    /** Where to read the next bytes; −1 when there are fewer and that is no error. */
    private int toRead(int count) {
        long at = readPosition;
        if (count > writePosition - at) {
            if (lenient) {
                readPosition = writePosition;
                return -1;
            }
            throw new BufferUnderflowException();
        }
        readPosition = at + count;
        return (int) at;
    }

    private int toReadAt(long offset, int count) {
        if (offset < 0 || count > writePosition - offset) {
            throw new BufferUnderflowException();
        }
        return (int) offset;
    }

    private int toWrite(int count) {
        long at = writePosition;
        if (count > writeLimit - at) {
            throw new BufferOverflowException();
        }
        writePosition = at + count;
        return (int) at;
    }

    private int toWriteAt(long offset, int count) {
        if (offset < 0 || count > writeLimit - offset) {
            throw new BufferOverflowException();
        }
        return (int) offset;
    }

    // ---- positions

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public long realCapacity() {
        return capacity;
    }

    @Override
    public long start() {
        return 0;
    }

    @Override
    public long readPosition() {
        return readPosition;
    }

    @Override
    public Bytes<Void> readPosition(long position) {
        if (position < 0 || position > writePosition) {
            throw new BufferUnderflowException();
        }
        readPosition = position;
        return this;
    }

    @Override
    public Bytes<Void> readSkip(long count) {
        long to = readPosition + count;
        return readPosition(lenient ? Math.min(to, writePosition) : to);
    }

    @Override
    public long readLimit() {
        return writePosition;
    }

    @Override
    public Bytes<Void> readLimit(long limit) {
        return writePosition(limit);
    }

    @Override
    public long readRemaining() {
        return writePosition - readPosition;
    }

    @Override
    public long writePosition() {
        return writePosition;
    }

    @Override
    public Bytes<Void> writePosition(long position) {
        if (position < readPosition || position > writeLimit) {
            throw position < readPosition
                    ? new BufferUnderflowException()
                    : new BufferOverflowException();
        }
        writePosition = position;
        return this;
    }

    @Override
    public Bytes<Void> writeSkip(long count) {
        return writePosition(writePosition + count);
    }

    @Override
    public long writeLimit() {
        return writeLimit;
    }

    @Override
    public Bytes<Void> writeLimit(long limit) {
        if (limit < writePosition || limit > capacity) {
            throw new BufferOverflowException();
        }
        writeLimit = limit;
        return this;
    }

    @Override
    public long writeRemaining() {
        return writeLimit - writePosition;
    }

    @Override
    public Bytes<Void> clear() {
        restart(0);
        return this;
    }

    @Override
    public boolean lenient() {
        return lenient;
    }

    @Override
    public void lenient(boolean isLenient) {
        lenient = isLenient;
    }

    // ---- reading

    @Override
    public byte readByte() {
        int at = toRead(1);
        return at < 0 ? 0 : byteAt(at);
    }

    @Override
    public byte readByte(long offset) {
        return byteAt(toReadAt(offset, 1));
    }

    @Override
    public int readUnsignedByte() {
        int at = toRead(1);
        return at < 0 ? -1 : byteAt(at) & 0xff;
    }

    @Override
    public int uncheckedReadUnsignedByte() {
        return readUnsignedByte();
    }

    @Override
    public int peekUnsignedByte() {
        return peekUnsignedByte(readPosition);
    }

    @Override
    public int peekUnsignedByte(long offset) {
        return offset < 0 || offset >= writePosition ? -1 : byteAt((int) offset) & 0xff;
    }

    @Override
    public void uncheckedReadSkipOne() {
        readPosition++;
    }

    @Override
    public void uncheckedReadSkipBackOne() {
        readPosition--;
    }

    @Override
    public short readShort() {
        int at = toRead(Short.BYTES);
        return at < 0 ? 0 : shortAt(at);
    }

    @Override
    public short readShort(long offset) {
        return shortAt(toReadAt(offset, Short.BYTES));
    }

    @Override
    public int readInt() {
        int at = toRead(Integer.BYTES);
        return at < 0 ? 0 : intAt(at);
    }

    @Override
    public int readInt(long offset) {
        return intAt(toReadAt(offset, Integer.BYTES));
    }

    @Override
    public long readLong() {
        int at = toRead(Long.BYTES);
        return at < 0 ? 0 : longAt(at);
    }

    @Override
    public long readLong(long offset) {
        return longAt(toReadAt(offset, Long.BYTES));
    }

    @Override
    public int read(byte[] target) {
        return read(target, 0, target.length);
    }

    @Override
    public int read(byte[] target, int from, int length) {
        int count = (int) Math.min(length, readRemaining());
        if (count == 0) {
            return length == 0 ? 0 : -1;
        }
        copy(toRead(count), target, from, count);
        return count;
    }

    @Override
    public long read(long offset, byte[] target, int from, int length) {
        int count = (int) Math.min(length, writePosition - offset);
        copy(toReadAt(offset, count), target, from, count);
        return count;
    }

    // ---- writing

    @Override
    public Bytes<Void> writeByte(byte value) {
        byteAt(toWrite(1), value);
        return this;
    }

    @Override
    public Bytes<Void> writeByte(long offset, byte value) {
        byteAt(toWriteAt(offset, 1), value);
        return this;
    }

    @Override
    public Bytes<Void> writeShort(short value) {
        shortAt(toWrite(Short.BYTES), value);
        return this;
    }

    @Override
    public Bytes<Void> writeShort(long offset, short value) {
        shortAt(toWriteAt(offset, Short.BYTES), value);
        return this;
    }

    @Override
    public Bytes<Void> writeInt(int value) {
        intAt(toWrite(Integer.BYTES), value);
        return this;
    }

    @Override
    public Bytes<Void> writeInt(long offset, int value) {
        intAt(toWriteAt(offset, Integer.BYTES), value);
        return this;
    }

    @Override
    public Bytes<Void> writeLong(long value) {
        longAt(toWrite(Long.BYTES), value);
        return this;
    }

    @Override
    public Bytes<Void> writeLong(long offset, long value) {
        longAt(toWriteAt(offset, Long.BYTES), value);
        return this;
    }

    @Override
    public Bytes<Void> write(byte[] source) {
        return write(source, 0, source.length);
    }

    @Override
    public Bytes<Void> write(byte[] source, int from, int length) {
        Objects.checkFromIndexSize(from, length, source.length);
        store(toWrite(length), source, from, length);
        return this;
    }

    @Override
    public Bytes<Void> write(long offset, byte[] source, int from, int length) {
        Objects.checkFromIndexSize(from, length, source.length);
        store(toWriteAt(offset, length), source, from, length);
        return this;
    }
}
