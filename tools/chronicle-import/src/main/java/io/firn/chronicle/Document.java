package io.firn.chronicle;

import net.openhft.chronicle.bytes.Bytes;

/** A document of a queue: its index and its bytes, which are valid until it is set again. */
final class Document {
    private long index;
    private int cycle;
    private byte[] bytes = new byte[4096];
    private int length;

    void set(long newIndex, int newCycle, Bytes<?> from) {
        index = newIndex;
        cycle = newCycle;
        length = Math.toIntExact(from.readRemaining());
        if (length > bytes.length) {
            bytes = new byte[Math.max(length, (int) Math.min(2L * bytes.length, 1 << 30))];
        }
        from.read(bytes, 0, length);
    }

    long index() {
        return index;
    }

    /** The number of the roll cycle, and of the file that it is in. */
    int cycle() {
        return cycle;
    }

    /** The bytes, from 0 to the length. */
    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }
}
