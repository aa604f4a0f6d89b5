package io.firn.format;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;

/**
 * A flyweight over bytes that a user passed in, in an array or a buffer of any kind. Neither copies
 * nor allocates in the steady state. Not thread-safe.
 */
public final class Source {
    private static final String NO_BYTES =
            "the bytes of a key or a value are expected, found null; a record without a value is"
                    + " appended by append(key, null), or added to a Batch";

    private byte[] array;
    private ByteBuffer direct;
    private int from;
    private int length;

    // A user who appends from the same direct buffer again and again gets one duplicate of it.
    private ByteBuffer lastSeen;
    private ByteBuffer lastDuplicate;
    private byte[] copied = new byte[0];

    /** Returns the number of bytes; −1 after {@link #none}. */
    public int length() {
        return length;
    }

    /** Points at nothing, which is not the same as at no bytes. */
    public Source none() {
        length = -1;
        return this;
    }

    /** Points at a whole array. */
    public Source wrap(byte[] bytes) {
        Objects.requireNonNull(bytes, NO_BYTES);
        return wrap(bytes, 0, bytes.length);
    }

    /** Points at a whole array, or at nothing if it is null. */
    public Source wrapAny(byte[] bytes) {
        return bytes == null ? none() : wrap(bytes, 0, bytes.length);
    }

    /** Points at a part of an array. */
    public Source wrap(byte[] bytes, int at, int count) {
        Objects.requireNonNull(bytes, NO_BYTES);
        Objects.checkFromIndexSize(at, count, bytes.length);
        array = bytes;
        from = at;
        length = count;
        return this;
    }

    /** Points at the bytes between position and limit, which are not changed. */
    public Source wrap(ByteBuffer buffer) {
        Objects.requireNonNull(buffer, NO_BYTES);
        return wrap(buffer, buffer.position(), buffer.remaining());
    }

    /** Points at a part of an Agrona buffer. */
    public Source wrap(DirectBuffer buffer, int at, int count) {
        Objects.requireNonNull(buffer, NO_BYTES);
        buffer.boundsCheck(at, count);
        if (buffer.byteArray() != null) {
            return wrap(buffer.byteArray(), buffer.wrapAdjustment() + at, count);
        }
        if (buffer.byteBuffer() != null) {
            return wrap(buffer.byteBuffer(), buffer.wrapAdjustment() + at, count);
        }
        // The JDK's public API offers no view of bare memory.
        buffer.getBytes(at, room(count), 0, count);
        return wrap(copied, 0, count);
    }

    /** Adds the bytes to a checksum. */
    public void updateCrc(CRC32C crc) {
        updateCrc(crc, 0);
    }

    /** Adds the bytes except the first ones to a checksum. */
    public void updateCrc(CRC32C crc, int skipped) {
        if (array != null) {
            crc.update(array, from + skipped, length - skipped);
        } else {
            direct.limit(from + length).position(from + skipped);
            crc.update(direct);
        }
    }

    /** Copies the bytes into an array. */
    public void copyTo(byte[] target, int at) {
        if (array != null) {
            System.arraycopy(array, from, target, at, length);
        } else {
            direct.clear();
            direct.get(from, target, at, length);
        }
    }

    /** Copies the bytes into log memory. */
    public void copyTo(ByteBuffer memory, int at) {
        copyTo(memory, at, 0, length);
    }

    /** Copies a part of the bytes into a buffer. */
    public void copyTo(ByteBuffer target, int at, int skipped, int count) {
        if (array != null) {
            target.put(at, array, from + skipped, count);
        } else {
            direct.clear();
            target.put(at, direct, from + skipped, count);
        }
    }

    /** Points at a part of a buffer. */
    @SuppressWarnings("ReferenceEquality") // another buffer needs another duplicate
    public Source wrap(ByteBuffer buffer, int at, int count) {
        if (buffer.hasArray()) {
            return wrap(buffer.array(), buffer.arrayOffset() + at, count);
        }
        if (!buffer.isDirect()) {
            buffer.get(at, room(count), 0, count);
            return wrap(copied, 0, count);
        }
        if (buffer != lastSeen) {
            lastSeen = buffer;
            lastDuplicate = buffer.duplicate();
        }
        array = null;
        direct = lastDuplicate;
        from = at;
        length = count;
        return this;
    }

    private byte[] room(int count) {
        if (copied.length < count) {
            copied = new byte[Math.max(count, 256)];
        }
        return copied;
    }
}
