package io.firn.server.wire;

import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/**
 * Reads the fields of a request, up to a limit: a request uses more memory decoded than on the
 * wire, by far more when it consists of empty names.
 */
final class GuardedReader extends ByteBufferAccessor {
    /** The approximate heap use of a field, with its share of the object that contains it. */
    private static final int BYTES_PER_FIELD = 32;

    private static final int MOST_FIELDS = 1 << 20;

    /** A list is allocated when its length is read, so the length has to be plausible. */
    private static final int MOST_ELEMENTS = 1 << 18;

    /** A header has five fields, and tags that a newer client may add. */
    private static final int MOST_IN_HEADER = 1 << 10;

    private final int mostFields;
    private int fields;

    GuardedReader(ByteBuffer bytes) {
        this(bytes, MOST_FIELDS);
    }

    private GuardedReader(ByteBuffer bytes, int mostFields) {
        super(bytes);
        this.mostFields = mostFields;
    }

    /** Returns a reader for the header of a request, which begins at the buffer's position. */
    static GuardedReader ofHeader(ByteBuffer bytes) {
        return new GuardedReader(bytes, MOST_IN_HEADER);
    }

    /** Returns about how many bytes of heap the fields read so far use. */
    long decodedBytes() {
        return (long) fields * BYTES_PER_FIELD;
    }

    /** Returns the number of bytes that were not read. */
    int unreadBytes() {
        return super.remaining();
    }

    private void count() {
        if (++fields > mostFields) {
            throw new BadRequestException("it has more than " + mostFields + " fields");
        }
    }

    /** Returns at most the limit of a list: the callers refuse lists that claim to be longer. */
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
