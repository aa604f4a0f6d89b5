package io.firn.tx;

import java.nio.ByteBuffer;
import java.util.UUID;

/** Writes an entry of the journal into an array of its size. Not thread-safe. */
final class EntryWriter {
    private final ByteBuffer buffer;

    EntryWriter(int sizeBytes) {
        buffer = ByteBuffer.allocate(sizeBytes);
    }

    /** Returns the bytes of a name, without those of its length. */
    static int sizeOf(String name) {
        int size = 0;
        for (int i = 0; i < name.length(); i++) {
            size += sizeOf(name.charAt(i));
        }
        return size;
    }

    private static int sizeOf(char c) {
        if (c != 0 && c < 0x80) {
            return 1;
        }
        return c < 0x800 ? 2 : 3;
    }

    void putByte(int value) {
        buffer.put((byte) value);
    }

    void putShort(int value) {
        buffer.putShort((short) value);
    }

    void putInt(int value) {
        buffer.putInt(value);
    }

    void putLong(long value) {
        buffer.putLong(value);
    }

    void putId(UUID id) {
        buffer.putLong(id.getMostSignificantBits());
        buffer.putLong(id.getLeastSignificantBits());
    }

    /** Puts the length of a name, and the name, as {@link java.io.DataInput#readUTF} reads it. */
    void putName(String name) {
        putShort(sizeOf(name));
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            switch (sizeOf(c)) {
                case 1 -> putByte(c);
                case 2 -> {
                    putByte(0xc0 | (c >> 6));
                    putByte(0x80 | (c & 0x3f));
                }
                default -> {
                    putByte(0xe0 | (c >> 12));
                    putByte(0x80 | ((c >> 6) & 0x3f));
                    putByte(0x80 | (c & 0x3f));
                }
            }
        }
    }

    void putBytes(byte[] bytes) {
        buffer.put(bytes);
    }

    /** Returns what was written, all of the size. */
    byte[] bytes() {
        if (buffer.hasRemaining()) {
            throw new IllegalStateException(buffer + ": the size was wrong");
        }
        return buffer.array();
    }
}
