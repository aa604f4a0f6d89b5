package io.firn.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.IntPredicate;

/**
 * The buffers that a connection's bytes are read into, as large as the memory allows that all
 * requests may use: what a read brings is counted only afterwards. Small requests are read many at
 * a time, into buffers of the size that was needed before. A large request is not copied together
 * from several reads: the channel reads on into the buffer that has its beginning. Because large
 * requests tend to follow one another, the read after one of them is into a buffer of its size.
 * Used on the event loop.
 */
final class FrameBuffers implements RecvByteBufAllocator, ByteToMessageDecoder.Cumulator {
    private static final int LARGE = 64 << 10;
    private static final int LEAST_READ = 16 << 10;

    /** Allocated for a request of which less has arrived. */
    private static final int ROOM_AT_ONCE = 1 << 20;

    private final RecvByteBufAllocator usual = new AdaptiveRecvByteBufAllocator();

    /** Has the beginning of a large request; belongs to the decoder. */
    private ByteBuf begun;

    /** The size of that request. */
    private int size;

    /** What the channel was given for the rest of it. */
    private ByteBuf given;

    /** The size of the last request, if it was large. */
    private int likely;

    /** Whether the connection may have a buffer of so many bytes. */
    private IntPredicate mayHave = bytes -> true;

    /** Sets what decides whether the connection may have a buffer of so many bytes. */
    void limit(IntPredicate decision) {
        mayHave = decision;
    }

    /**
     * Called when a buffer has the beginning of a request and not all of it.
     *
     * @param bytes the size of the request
     */
    void onPartial(ByteBuf in, int bytes) {
        if (bytes > LARGE) {
            begun = in;
            size = bytes;
        }
    }

    /** Called when all of a request has arrived. */
    void onComplete(int bytes) {
        likely = bytes > LARGE ? Math.min(bytes, ROOM_AT_ONCE) : 0;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // this very buffer
    public ByteBuf cumulate(ByteBufAllocator allocator, ByteBuf before, ByteBuf in) {
        ByteBuf expected = given;
        given = null;
        begun = null;
        if (in == before) {
            in.release(); // the count for the read
            return before;
        }
        if (in == expected) {
            before.release(); // it begins with the same bytes
            return in;
        }
        return ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(allocator, before, in);
    }

    private ByteBuf allocate(ByteBufAllocator allocator, ExtendedHandle handle) {
        if (begun == null) {
            return likely > 0 && mayHave.test(likely)
                    ? allocator.ioBuffer(likely)
                    : handle.allocate(allocator);
        }
        int missing = size - begun.readableBytes();
        boolean hasRoom = begun.writableBytes() >= Math.min(missing, LEAST_READ);
        if (hasRoom && begun.refCnt() == 1) { // else earlier requests are slices of it
            given = begun.retain();
        } else {
            // By what has arrived, not by what was announced.
            int arrived = begun.readableBytes();
            int least = arrived < LARGE ? LARGE : ROOM_AT_ONCE;
            int room = Math.min(size, Math.max(least, 2 * arrived));
            if (!mayHave.test(room)) {
                room = Math.min(size, arrived + Math.max(LEAST_READ, arrived / 4));
            }
            given = allocator.ioBuffer(room);
            given.writeBytes(begun, begun.readerIndex(), begun.readableBytes());
        }
        return given;
    }

    @Override
    public ExtendedHandle newHandle() {
        return new Reads((ExtendedHandle) usual.newHandle());
    }

    /** The usual handle, with other buffers. */
    private final class Reads extends DelegatingHandle implements ExtendedHandle {
        private final ExtendedHandle handle;

        Reads(ExtendedHandle handle) {
            super(handle);
            this.handle = handle;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return FrameBuffers.this.allocate(allocator, handle);
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            return handle.continueReading(maybeMore);
        }
    }
}
