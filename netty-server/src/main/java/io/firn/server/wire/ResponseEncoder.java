package io.firn.server.wire;

import io.firn.host.BatchRun;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.Writable;
import org.apache.kafka.common.record.internal.BaseRecords;

/**
 * Encodes a response into buffers: its fields into pooled memory, and between them the bytes of the
 * log, which are neither copied nor read.
 */
final class ResponseEncoder implements Writable {
    private static final int LEAST = 512;
    private static final int MOST_AT_FIRST = 4096;

    private final ByteBufAllocator allocator;
    private final List<Part> parts = new ArrayList<>(1);
    private ByteBuf fields;

    /**
     * A part of a response.
     *
     * @param bytes the bytes for the socket
     * @param run the run of the log that they are, to be closed when the socket has taken them; or
     *     null
     * @param sendable whether the system may send them from their file instead
     */
    record Part(ByteBuf bytes, BatchRun run, boolean sendable) {
        Part(ByteBuf bytes) {
            this(bytes, null, false);
        }
    }

    /**
     * Creates an encoder for one response.
     *
     * @param before encoded responses that the first part is to begin with, which are taken over;
     *     or null
     */
    ResponseEncoder(ByteBufAllocator allocator, ByteBuf before) {
        this.allocator = allocator;
        this.fields = before;
    }

    /**
     * Encodes a response, preceded by its length. If it throws, it has released its buffers, and
     * the caller closes the records of the message.
     */
    List<Part> encode(Message header, short headerVersion, Message body, short version) {
        try {
            ObjectSerializationCache cache = new ObjectSerializationCache();
            int headerSize = header.size(cache, headerVersion);
            int size = Math.addExact(headerSize, body.size(cache, version));
            if (fields == null) {
                // The records of a fetch are most of its size, and take no space here.
                fields = allocator.ioBuffer(Math.max(LEAST, Math.min(4 + size, MOST_AT_FIRST)));
            }
            writeInt(size);
            header.write(this, cache, headerVersion);
            body.write(this, cache, version);
            endFields();
            return parts;
        } catch (RuntimeException e) {
            release();
            throw e;
        }
    }

    private void release() {
        if (fields != null) {
            fields.release();
        }
        parts.forEach(part -> part.bytes().release());
    }

    private void endFields() {
        if (fields.isReadable()) {
            parts.add(new Part(fields));
        } else {
            fields.release();
        }
        fields = null;
    }

    @Override
    public void writeRecords(BaseRecords records) {
        if (records instanceof LogRecords log) {
            endFields();
            for (BatchRun run : log.runs()) {
                // A view of the mapping: the socket reads the bytes from there.
                parts.add(new Part(Unpooled.wrappedBuffer(run.bytes()), run, !log.isLoaded()));
            }
            fields = allocator.ioBuffer(LEAST);
        } else {
            Writable.super.writeRecords(records);
        }
    }

    @Override
    public void writeByte(byte value) {
        fields.writeByte(value);
    }

    @Override
    public void writeShort(short value) {
        fields.writeShort(value);
    }

    @Override
    public void writeInt(int value) {
        fields.writeInt(value);
    }

    @Override
    public void writeLong(long value) {
        fields.writeLong(value);
    }

    @Override
    public void writeDouble(double value) {
        fields.writeDouble(value);
    }

    @Override
    public void writeByteArray(byte[] value) {
        fields.writeBytes(value);
    }

    @Override
    public void writeByteBuffer(ByteBuffer value) {
        fields.writeBytes(value.duplicate());
    }

    @Override
    public void writeUnsignedVarint(int value) {
        writeUnsigned(Integer.toUnsignedLong(value));
    }

    @Override
    public void writeVarint(int value) {
        writeUnsignedVarint((value << 1) ^ (value >> 31));
    }

    @Override
    public void writeVarlong(long value) {
        writeUnsigned((value << 1) ^ (value >> 63));
    }

    private void writeUnsigned(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            fields.writeByte((int) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        fields.writeByte((int) rest);
    }
}
