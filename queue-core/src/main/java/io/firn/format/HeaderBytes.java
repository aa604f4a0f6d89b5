package io.firn.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Access to the fields of a batch's header in an array; {@link BatchFormat} says where they are.
 */
public final class HeaderBytes {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    private HeaderBytes() {}

    /** Writes a header at 0 for a batch of {@code size} bytes, except for offset, epoch and CRC. */
    static void write(
            byte[] b,
            int size,
            int attributes,
            int count,
            long baseTimestamp,
            long maxTimestamp,
            long producerId,
            int producerEpoch,
            int baseSequence) {
        INT.set(b, BatchFormat.LENGTH, size - BatchFormat.LENGTH_OVERHEAD);
        b[BatchFormat.MAGIC] = BatchFormat.MAGIC_2;
        SHORT.set(b, BatchFormat.ATTRIBUTES, (short) attributes);
        INT.set(b, BatchFormat.LAST_OFFSET_DELTA, count - 1);
        LONG.set(b, BatchFormat.BASE_TIMESTAMP, baseTimestamp);
        LONG.set(b, BatchFormat.MAX_TIMESTAMP, maxTimestamp);
        LONG.set(b, BatchFormat.PRODUCER_ID, producerId);
        SHORT.set(b, BatchFormat.PRODUCER_EPOCH, (short) producerEpoch);
        INT.set(b, BatchFormat.BASE_SEQUENCE, baseSequence);
        INT.set(b, BatchFormat.COUNT, count);
    }

    /** Writes a big-endian int. */
    public static void putInt(byte[] b, int at, int value) {
        INT.set(b, at, value);
    }

    /** Writes a big-endian long. */
    static void putLong(byte[] b, int at, long value) {
        LONG.set(b, at, value);
    }

    /** Reads a big-endian short. */
    public static short getShort(byte[] b, int at) {
        return (short) SHORT.get(b, at);
    }

    /** Reads a big-endian int. */
    public static int getInt(byte[] b, int at) {
        return (int) INT.get(b, at);
    }

    /** Reads a big-endian long. */
    public static long getLong(byte[] b, int at) {
        return (long) LONG.get(b, at);
    }
}
