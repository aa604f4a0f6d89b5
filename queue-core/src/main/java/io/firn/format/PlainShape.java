package io.firn.format;

import java.nio.ByteBuffer;

/**
 * The bytes before the value of a record without key and headers, of which the next record mostly
 * has the same ones, since most records are as long as the one before. Only the two bytes of its
 * deltas differ then, and one comparison of eight bytes replaces the parsing of six numbers.
 *
 * <pre>
 *  | length (1 to 3) | attr | timeΔ | offsetΔ | key length −1 | value length | value … | 0 |
 *   ──────────────────────── 8 bytes at most ───────────────────────────────
 * </pre>
 */
final class PlainShape {
    /** Stands for no shape: no record is as long. */
    private static final int NONE = Integer.MIN_VALUE;

    private static final int DELTAS_MASK = 0x7F7F;

    private int recordBytes = NONE;
    private int headBytes;
    private int valueLength;

    /** How far the deltas are from the lower end of the eight bytes. */
    private int deltasShift;

    private long head;
    private long mask;
    private int deltas;

    /** Returns the bytes of a whole record; so many that none has them while nothing is learned. */
    int recordBytes() {
        return recordBytes;
    }

    /** Returns the bytes before the value. */
    int headBytes() {
        return headBytes;
    }

    /** Returns the length of the value. */
    int valueLength() {
        return valueLength;
    }

    /**
     * Returns whether the record at a position has this shape; its deltas are then shown.
     *
     * @throws IndexOutOfBoundsException when the record would end after the memory
     */
    boolean matches(ByteBuffer bytes, int position) {
        if (recordBytes < 0) {
            return false;
        }
        long found = bytes.getLong(position);
        deltas = (int) (found >>> deltasShift);
        return ((found ^ head) & mask) == 0 && bytes.get(position + recordBytes - 1) == 0;
    }

    /** Returns the difference of the timestamp of the record that matched. */
    long timestampDelta() {
        return decoded((deltas >>> Byte.SIZE) & 0x7F);
    }

    /** Returns the difference of the offset of the record that matched. */
    int offsetDelta() {
        return decoded(deltas & 0x7F);
    }

    private static int decoded(int zigzag) {
        return (zigzag >>> 1) ^ -(zigzag & 1);
    }

    /**
     * Learns the shape of a record that was parsed and has neither key nor headers.
     *
     * @param lengthBytes the bytes of its length
     */
    void learn(ByteBuffer bytes, int from, int lengthBytes, int valueAt, int length, int to) {
        int deltasAt = lengthBytes + 1;
        boolean isShort =
                valueAt - from <= Long.BYTES
                        && to - from >= Long.BYTES
                        && to - valueAt - Math.max(length, 0) == 1;
        long found = isShort ? bytes.getLong(from) : 0;
        int shift = Long.SIZE - (deltasAt + 2) * Byte.SIZE;
        boolean isOneByteEach = isShort && ((found >>> shift) & ~DELTAS_MASK & 0xFFFF) == 0;
        if (!isOneByteEach || (byte) (found >>> (shift - Byte.SIZE)) != 1) {
            recordBytes = NONE;
            return;
        }
        recordBytes = to - from;
        headBytes = valueAt - from;
        valueLength = length;
        deltasShift = shift;
        mask = (-1L << (Long.SIZE - headBytes * Byte.SIZE)) & ~((long) DELTAS_MASK << shift);
        head = found & mask;
    }
}
