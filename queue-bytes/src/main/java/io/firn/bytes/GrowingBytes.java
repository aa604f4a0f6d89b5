package io.firn.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Bytes in an array that grows as they are written, and is used again. Not thread-safe. */
final class GrowingBytes extends ValueBytes {
    private static final VarHandle SHORTS = handle(short[].class);
    private static final VarHandle INTS = handle(int[].class);
    private static final VarHandle LONGS = handle(long[].class);

    /** The longest array that every JVM makes. */
    private static final int MOST = Integer.MAX_VALUE - 8;

    private byte[] array = new byte[256];

    GrowingBytes() {
        super(MOST);
    }

    private static VarHandle handle(Class<?> type) {
        return MethodHandles.byteArrayViewVarHandle(type, ByteOrder.LITTLE_ENDIAN);
    }

    /** The bytes that were written are those up to the write position. */
    byte[] array() {
        return array;
    }

    private byte[] room(int at, int count) {
        if (count > array.length - at) {
            long wanted = Math.max(2L * array.length, (long) at + count);
            array = Arrays.copyOf(array, (int) Math.min(wanted, MOST));
        }
        return array;
    }

    @Override
    public boolean isElastic() {
        return true;
    }

    @Override
    byte byteAt(int at) {
        return array[at];
    }

    @Override
    short shortAt(int at) {
        return (short) SHORTS.get(array, at);
    }

    @Override
    int intAt(int at) {
        return (int) INTS.get(array, at);
    }

    @Override
    long longAt(int at) {
        return (long) LONGS.get(array, at);
    }

    @Override
    void copy(int at, byte[] target, int from, int length) {
        System.arraycopy(array, at, target, from, length);
    }

    @Override
    void byteAt(int at, byte value) {
        room(at, 1)[at] = value;
    }

    @Override
    void shortAt(int at, short value) {
        SHORTS.set(room(at, Short.BYTES), at, value);
    }

    @Override
    void intAt(int at, int value) {
        INTS.set(room(at, Integer.BYTES), at, value);
    }

    @Override
    void longAt(int at, long value) {
        LONGS.set(room(at, Long.BYTES), at, value);
    }

    @Override
    void store(int at, byte[] source, int from, int length) {
        System.arraycopy(source, from, room(at, length), at, length);
    }
}
