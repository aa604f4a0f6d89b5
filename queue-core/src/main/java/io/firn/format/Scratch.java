package io.firn.format;

import java.util.Arrays;

/** A byte array that grows and is reused. Not thread-safe. */
public final class Scratch {
    private byte[] bytes;
    private int length;

    /** Creates it with room for a number of bytes. */
    public Scratch(int capacity) {
        bytes = new byte[capacity];
    }

    /** Returns the array; a call of {@link #ensure} may replace it. */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns the number of bytes in use. */
    public int length() {
        return length;
    }

    /** Sets the number of bytes in use. */
    public void length(int length) {
        this.length = length;
    }

    /** Makes room for a number of bytes in all, keeps those in use, and returns the array. */
    public byte[] ensure(int capacity) {
        if (bytes.length < capacity) {
            long doubled = Math.min(bytes.length * 2L, Integer.MAX_VALUE - 8L);
            bytes = Arrays.copyOf(bytes, (int) Math.max(capacity, doubled));
        }
        return bytes;
    }
}
