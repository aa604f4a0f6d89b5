package io.firn.format;

import java.nio.ByteBuffer;

/** Kafka's variable-length numbers: zigzag, seven bits a byte, least significant first. */
public final class Varint {
    private Varint() {}

    /** Returns the bytes of an encoded int. */
    public static int size(int value) {
        int v = (value << 1) ^ (value >> 31);
        if ((v & ~0x7F) == 0) {
            return 1;
        }
        return (v & ~0x3FFF) == 0 ? 2 : (38 - Integer.numberOfLeadingZeros(v)) / 7;
    }

    /** Returns the bytes of an encoded long. */
    public static int size(long value) {
        long v = (value << 1) ^ (value >> 63);
        return (v & ~0x7FL) == 0 ? 1 : (70 - Long.numberOfLeadingZeros(v)) / 7;
    }

    /** Writes an int and returns the index after it. */
    public static int put(byte[] target, int at, int value) {
        int v = (value << 1) ^ (value >> 31);
        int i = at;
        while ((v & ~0x7F) != 0) {
            target[i++] = (byte) (v | 0x80);
            v >>>= 7;
        }
        target[i++] = (byte) v;
        return i;
    }

    /** Writes a long and returns the index after it. */
    public static int put(byte[] target, int at, long value) {
        long v = (value << 1) ^ (value >> 63);
        int i = at;
        while ((v & ~0x7FL) != 0) {
            target[i++] = (byte) (v | 0x80);
            v >>>= 7;
        }
        target[i++] = (byte) v;
        return i;
    }

    private static long raw(ByteBuffer b, int at) {
        long v = 0;
        int shift = 0;
        int i = at;
        byte x;
        do {
            x = b.get(i++);
            v |= (long) (x & 0x7F) << shift;
            shift += 7;
        } while (x < 0 && shift < 70);
        return v;
    }

    /** Reads a number. */
    public static long get(ByteBuffer b, int at) {
        byte first = b.get(at);
        long v = first >= 0 ? first : raw(b, at);
        return (v >>> 1) ^ -(v & 1);
    }

    /** Returns the bytes of the number that starts here, at most 10. */
    public static int length(ByteBuffer b, int at) {
        int i = at;
        while (i - at < 10 && b.get(i++) < 0) {
            // continuation bit set
        }
        return i - at;
    }
}
