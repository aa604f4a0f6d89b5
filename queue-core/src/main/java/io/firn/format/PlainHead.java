package io.firn.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The bytes before the value of a record without key and headers. With few records and values up to
 * 8 KiB they are at most eight, and all except two depend only on the value's length. They are
 * kept, since most records are as long as the one before, and stored as one number.
 */
final class PlainHead {
    /** Bytes after the end of the array's used part that {@link #put} may write to. */
    static final int ROOM = Long.BYTES;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** The largest number that is encoded in one byte. */
    private static final long ONE_BYTE = 63;

    private final byte[] composed = new byte[16];
    private final int maxRecordBytes;
    private int valueLength = Integer.MIN_VALUE;
    private int bodyBytes;
    private int length;
    private boolean mayBePut;
    private int deltaShift;
    private long head;

    /** Creates it for a topic that allows records up to so many bytes. */
    PlainHead(int maxRecordBytes) {
        this.maxRecordBytes = maxRecordBytes;
    }

    /** Returns whether such a record is allowed and its head can be put. */
    boolean fits(int value, long timestampDelta, int offsetDelta) {
        if (value != valueLength) {
            compose(value);
        }
        return mayBePut && ((timestampDelta | offsetDelta) & ~ONE_BYTE) == 0;
    }

    /** Returns the bytes after the length field of a record with such a value. */
    int bodyBytes() {
        return bodyBytes;
    }

    /** Stores the head of a record that fits, and returns the index after it. */
    int put(byte[] target, int at, long timestampDelta, int offsetDelta) {
        long deltas = timestampDelta << 1 | (long) offsetDelta << (Byte.SIZE + 1);
        LONG.set(target, at, head | deltas << deltaShift);
        return at + length;
    }

    private void compose(int value) {
        // attributes, timestamp delta, offset delta, key length; the count of headers after
        bodyBytes = 4 + Varint.size(value) + Math.max(value, 0) + 1;
        int at = Varint.put(composed, 0, bodyBytes);
        deltaShift = (at + 1) * Byte.SIZE;
        composed[at] = 0;
        composed[at + 1] = 0;
        composed[at + 2] = 0;
        composed[at + 3] = 1; // key length −1
        length = Varint.put(composed, at + 4, value);
        head = (long) LONG.get(composed, 0);
        if (length < Long.BYTES) {
            head &= (1L << (length * Byte.SIZE)) - 1;
        }
        valueLength = value;
        mayBePut = value >= 0 && length <= Long.BYTES && bodyBytes <= maxRecordBytes;
    }
}
