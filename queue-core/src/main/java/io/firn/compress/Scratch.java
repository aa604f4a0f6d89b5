package io.firn.compress;

import java.util.Arrays;

/** A byte array that grows and is used again. Not thread-safe. */
public final class Scratch {
    private byte[] bytes;
    private int length;

    /** With room for so many bytes at first. */
    public Scratch(int capacity) {
        bytes = new byte[capacity];
    }

    /** The array; another one after {@link #ensure} had to grow. */
    public byte[] bytes() {
        return bytes;
    }

    /** Bytes in use. */
    public int length() {
        return length;
    }

    /** Sets the bytes in use. */
    public void length(int length) {
        this.length = length;
    }

    /** Makes room for so many bytes in all, keeping those in use, and returns the array. */
    public byte[] ensure(int capacity) {
        if (bytes.length < capacity) {
            long doubled = Math.min(bytes.length * 2L, Integer.MAX_VALUE - 8L);
            bytes = Arrays.copyOf(bytes, (int) Math.max(capacity, doubled));
        }
        return bytes;
    }
}
