package io.firn.bytes;

import java.nio.ByteBuffer;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.bytes.RandomDataInput;
import net.openhft.chronicle.bytes.render.Decimaliser;
import net.openhft.chronicle.bytes.render.StandardDecimaliser;
import net.openhft.chronicle.core.io.ReferenceChangeListener;
import net.openhft.chronicle.core.io.ReferenceOwner;

/**
 * What {@link Bytes} must have and bytes of one thread without an address do not need: references
 * are not counted, nothing is atomic or volatile, and native memory is refused. It uses none of
 * Chronicle's classes that need access to the JDK's internals. Not thread-safe.
 */
abstract class UnsharedBytes implements Bytes<Void> {
    private Decimaliser decimaliser;
    private boolean fpAppend0 = true;
    private int lastDecimalPlaces;
    private boolean lastNumberHadDigits;

    private static UnsupportedOperationException refused(String what) {
        return new UnsupportedOperationException(
                "these bytes have no " + what + ": copy them, for example by read(byte[])");
    }

    // ---- references

    @Override
    public void reserve(ReferenceOwner owner) {}

    @Override
    public boolean tryReserve(ReferenceOwner owner) {
        return true;
    }

    @Override
    public void release(ReferenceOwner owner) {}

    @Override
    public void releaseLast(ReferenceOwner owner) {}

    @Override
    public int refCount() {
        return 1;
    }

    @Override
    public void addReferenceChangeListener(ReferenceChangeListener listener) {}

    @Override
    public void removeReferenceChangeListener(ReferenceChangeListener listener) {}

    @Override
    public void singleThreadedCheckReset() {}

    @Override
    public void singleThreadedCheckDisabled(boolean isDisabled) {}

    // ---- memory

    @Override
    public boolean isDirectMemory() {
        return false;
    }

    @Override
    public boolean sharedMemory() {
        return false;
    }

    @Override
    public boolean isElastic() {
        return false;
    }

    @Override
    public Void underlyingObject() {
        return null;
    }

    @Override
    public BytesStore<?, Void> bytesStore() {
        return this;
    }

    @Override
    public long addressForRead(long offset) {
        throw refused("address");
    }

    @Override
    public long addressForWrite(long offset) {
        throw refused("address");
    }

    @Override
    public long addressForWritePosition() {
        throw refused("address");
    }

    @Override
    public void nativeRead(long position, long address, long size) {
        throw refused("way to native memory");
    }

    @Override
    public void nativeWrite(long address, long position, long size) {
        throw refused("way from native memory");
    }

    @Override
    public BytesStore<Bytes<Void>, Void> copy() {
        throw refused("copy of their own");
    }

    @Override
    public Bytes<Void> compact() {
        throw refused("room that is freed by reading");
    }

    @Override
    public Bytes<Void> clearAndPad(long length) {
        throw refused("room in front");
    }

    @Override
    public Bytes<Void> prewrite(byte[] bytes) {
        throw refused("room in front");
    }

    @Override
    public Bytes<Void> prewrite(BytesStore<?, ?> bytes) {
        throw refused("room in front");
    }

    @Override
    public Bytes<Void> prewriteByte(byte value) {
        throw refused("room in front");
    }

    @Override
    public Bytes<Void> prewriteShort(short value) {
        throw refused("room in front");
    }

    @Override
    public Bytes<Void> prewriteInt(int value) {
        throw refused("room in front");
    }

    @Override
    public Bytes<Void> prewriteLong(long value) {
        throw refused("room in front");
    }

    // ---- volatile and ordered, which is the same for one thread

    @Override
    public byte readVolatileByte(long offset) {
        return readByte(offset);
    }

    @Override
    public short readVolatileShort(long offset) {
        return readShort(offset);
    }

    @Override
    public int readVolatileInt(long offset) {
        return readInt(offset);
    }

    @Override
    public int readVolatileInt() {
        return readInt();
    }

    @Override
    public long readVolatileLong(long offset) {
        return readLong(offset);
    }

    @Override
    public long readVolatileLong() {
        return readLong();
    }

    @Override
    public Bytes<Void> writeVolatileByte(long offset, byte value) {
        return writeByte(offset, value);
    }

    @Override
    public Bytes<Void> writeVolatileShort(long offset, short value) {
        return writeShort(offset, value);
    }

    @Override
    public Bytes<Void> writeVolatileInt(long offset, int value) {
        return writeInt(offset, value);
    }

    @Override
    public Bytes<Void> writeVolatileLong(long offset, long value) {
        return writeLong(offset, value);
    }

    @Override
    public Bytes<Void> writeOrderedInt(long offset, int value) {
        return writeInt(offset, value);
    }

    @Override
    public Bytes<Void> writeOrderedInt(int value) {
        return writeInt(value);
    }

    @Override
    public Bytes<Void> writeOrderedLong(long offset, long value) {
        return writeLong(offset, value);
    }

    @Override
    public Bytes<Void> writeOrderedLong(long value) {
        return writeLong(value);
    }

    @Override
    public boolean compareAndSwapInt(long offset, int expected, int value) {
        boolean isExpected = readInt(offset) == expected;
        if (isExpected) {
            writeInt(offset, value);
        }
        return isExpected;
    }

    @Override
    public boolean compareAndSwapLong(long offset, long expected, long value) {
        boolean isExpected = readLong(offset) == expected;
        if (isExpected) {
            writeLong(offset, value);
        }
        return isExpected;
    }

    @Override
    public void testAndSetInt(long offset, int expected, int value) {
        if (!compareAndSwapInt(offset, expected, value)) {
            throw new IllegalStateException(
                    "expected " + expected + " at " + offset + ", found " + readInt(offset));
        }
    }

    // ---- how numbers are written as text

    @Override
    public Decimaliser decimaliser() {
        if (decimaliser == null) {
            decimaliser = StandardDecimaliser.STANDARD;
        }
        return decimaliser;
    }

    @Override
    public Bytes<Void> decimaliser(Decimaliser value) {
        decimaliser = value;
        return this;
    }

    @Override
    @SuppressWarnings("deprecation") // there, not here
    public boolean fpAppend0() {
        return fpAppend0;
    }

    @Override
    @SuppressWarnings("deprecation") // there, not here
    public Bytes<Void> fpAppend0(boolean value) {
        fpAppend0 = value;
        return this;
    }

    @Override
    public int lastDecimalPlaces() {
        return lastDecimalPlaces;
    }

    @Override
    public void lastDecimalPlaces(int value) {
        lastDecimalPlaces = Math.max(0, value);
    }

    @Override
    public boolean lastNumberHadDigits() {
        return lastNumberHadDigits;
    }

    @Override
    public void lastNumberHadDigits(boolean value) {
        lastNumberHadDigits = value;
    }

    // ---- forms of others

    @Override
    public Bytes<Void> writeDoubleAndInt(double first, int second) {
        return writeDouble(first).writeInt(second);
    }

    @Override
    public Bytes<Void> writeIntAdv(int value, int advance) {
        return writeInt(value).writeSkip((long) advance - Integer.BYTES);
    }

    @Override
    public Bytes<Void> writeLongAdv(long value, int advance) {
        return writeLong(value).writeSkip((long) advance - Long.BYTES);
    }

    @Override
    public Bytes<Void> write(long offset, RandomDataInput bytes, long from, long length) {
        for (long i = 0; i < length; i++) {
            writeByte(offset + i, bytes.readByte(from + i));
        }
        return this;
    }

    @Override
    public void write(long offset, ByteBuffer bytes, int from, int length) {
        for (int i = 0; i < length; i++) {
            writeByte(offset + i, bytes.get(from + i));
        }
    }

    @Override
    public void move(long from, long to, long length) {
        if (from > to) {
            for (long i = 0; i < length; i++) {
                writeByte(to + i, readByte(from + i));
            }
        } else {
            for (long i = length - 1; i >= 0; i--) {
                writeByte(to + i, readByte(from + i));
            }
        }
    }
}
