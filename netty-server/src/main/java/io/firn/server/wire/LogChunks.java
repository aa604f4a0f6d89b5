package io.firn.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;
import java.nio.ByteBuffer;

/**
 * Bytes of the log for an encrypted connection, in pieces: encrypted bytes are copies, and there
 * are never more of them than the socket is about to take. The cipher gets a copy, too, since a
 * fault in the mapping would end the JVM there.
 */
final class LogChunks implements ChunkedInput<ByteBuf> {
    private static final int PIECE = 64 << 10;

    private final ByteBuffer bytes;
    private final int length;

    LogChunks(ByteBuffer bytes) {
        this.bytes = bytes.duplicate();
        this.length = bytes.remaining();
    }

    @Override
    public boolean isEndOfInput() {
        return !bytes.hasRemaining();
    }

    @Override
    public ByteBuf readChunk(ByteBufAllocator allocator) {
        int size = Math.min(PIECE, bytes.remaining());
        ByteBuf piece = allocator.heapBuffer(size, size);
        try {
            bytes.get(piece.array(), piece.arrayOffset(), size);
            return piece.writerIndex(size);
        } catch (RuntimeException | Error e) {
            piece.release();
            throw e;
        }
    }

    @Override
    @Deprecated
    public ByteBuf readChunk(ChannelHandlerContext ctx) {
        return readChunk(ctx.alloc());
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public long progress() {
        return (long) length - bytes.remaining();
    }

    /** The log bytes are unpinned by whoever has written them. */
    @Override
    public void close() {}
}
