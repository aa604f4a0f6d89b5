package io.firn.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Splits a connection's bytes into requests: a length of four bytes, then that many bytes. The
 * length is trusted only up to a limit, and memory is allocated as bytes arrive, not by that
 * length. Requests other than produce are small and have a lower limit, because decoded fields use
 * more memory than they do on the wire.
 */
final class FrameDecoder extends ByteToMessageDecoder {
    private static final int LENGTH_BYTES = 4;
    private static final int KEY_BYTES = 2;
    private static final int LEAST = 8;
    private static final short PRODUCE = 0;
    private static final int SMALL = 4096;

    private final FrameBuffers buffers = new FrameBuffers();
    private final int maxBytes;
    private final int maxOtherBytes;
    private int mostNow = Integer.MAX_VALUE;
    private IntConsumer onPartial = bytes -> {};

    FrameDecoder(int maxBytes) {
        this.maxBytes = maxBytes;
        this.maxOtherBytes = Math.min(maxBytes, 8 << 20);
        setCumulator(buffers);
    }

    /** Returns the buffers that the channel is to read into. */
    FrameBuffers buffers() {
        return buffers;
    }

    /** Sets a lower limit for all requests, until another is set. */
    void limitTo(int bytes) {
        mostNow = bytes;
    }

    /**
     * Sets what receives, after each read, the size of the buffer of an incomplete request, or 0.
     */
    void onPartial(IntConsumer listener) {
        onPartial = listener;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        super.channelRead(ctx, message);
        boolean isPartial = actualReadableBytes() > 0;
        // What precedes the reader's index belongs to earlier requests.
        onPartial.accept(
                isPartial ? internalBuffer().capacity() - internalBuffer().readerIndex() : 0);
    }

    /** The superclass would read on until a request is complete, even when reading has stopped. */
    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        discardSomeReadBytes();
        ctx.fireChannelReadComplete();
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (in.readableBytes() < LENGTH_BYTES + KEY_BYTES) {
            return;
        }
        int start = in.readerIndex();
        int length = in.getInt(start);
        short key = in.getShort(start + LENGTH_BYTES);
        int limit = Math.min(mostNow, key == PRODUCE ? maxBytes : maxOtherBytes);
        if (length < LEAST || length > limit) {
            in.skipBytes(in.readableBytes());
            throw new BadRequestException(
                    "a request of "
                            + length
                            + " bytes; from "
                            + LEAST
                            + " to "
                            + limit
                            + " are accepted");
        }
        if (in.readableBytes() < LENGTH_BYTES + length) {
            buffers.onPartial(in, LENGTH_BYTES + length);
            return;
        }
        buffers.onComplete(LENGTH_BYTES + length);
        in.skipBytes(LENGTH_BYTES);
        if (key != PRODUCE && length <= SMALL) {
            // It may wait for long, and would keep the larger buffer that it arrived in.
            out.add(Unpooled.buffer(length, length).writeBytes(in, length));
        } else {
            out.add(in.readRetainedSlice(length));
        }
    }
}
