package io.firn.server.wire;

import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/**
 * Reads a request's fields, and not too many of them: a request uses more memory decoded than on
 * the wire, by far when it consists of empty names.
 */
final class GuardedReader extends ByteBufferAccessor {
    /** What a field uses on the heap, about, with its share of the object that contains it. */
    private static final int BYTES_PER_FIELD = 32;

    private static final int MOST_FIELDS = 1 << 20;

    /** Room for a list is made when its length is read, so the length is to be believed. */
    private static final int MOST_ELEMENTS = 1 << 18;

    private int fields;

    GuardedReader(ByteBuffer bytes) {
        super(bytes);
    }

    /** About how many bytes on the heap the fields read so far use. */
    long decodedBytes() {
        return (long) fields * BYTES_PER_FIELD;
    }

    /** Bytes that were not read. */
    int unreadBytes() {
        return super.remaining();
    }

    private void count() {
        if (++fields > MOST_FIELDS) {
            throw new BadRequestException("it has more than " + MOST_FIELDS + " fields");
        }
    }

    /** A list that claims to have more elements than this is refused by who asks. */
    @Override
    public int remaining() {
        return Math.min(super.remaining(), MOST_ELEMENTS);
    }

    @Override
    public byte readByte() {
        count();
        return super.readByte();
    }

    @Override
    public short readShort() {
        count();
        return super.readShort();
    }

    @Override
    public int readInt() {
        count();
        return super.readInt();
    }

    @Override
    public long readLong() {
        count();
        return super.readLong();
    }

    @Override
    public int readUnsignedVarint() {
        count();
        return super.readUnsignedVarint();
    }
}
