package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads as a channel does: into the buffers that the decoder offers. */
final class FrameBuffersTest {
    private static final int MIB = 1 << 20;

    private final FrameDecoder decoder = new FrameDecoder(100 * MIB);
    private final EmbeddedChannel channel = new EmbeddedChannel(decoder);
    private final RecvByteBufAllocator.ExtendedHandle reads = decoder.buffers().newHandle();
    private final List<ByteBuf> offered = new ArrayList<>();

    @AfterEach
    void shouldRelease() {
        channel.finishAndReleaseAll();
        for (ByteBuf each : offered) {
            assertEquals(0, each.refCnt());
        }
    }

    /** Lets the channel read at most so many bytes; returns how many it took. */
    private int read(ByteBuffer stream, int most) {
        reads.reset(channel.config());
        ByteBuf into = reads.allocate(channel.alloc());
        offered.add(into);
        int count = Math.min(Math.min(stream.remaining(), most), into.writableBytes());
        reads.attemptedBytesRead(into.writableBytes());
        reads.lastBytesRead(count);
        if (count == 0) {
            into.release();
            return 0;
        }
        into.writeBytes(stream.slice(stream.position(), count));
        stream.position(stream.position() + count);
        channel.writeInbound(into);
        reads.readComplete();
        return count;
    }

    private static ByteBuffer frames(int... sizes) {
        int sum = 0;
        for (int each : sizes) {
            sum += 4 + each;
        }
        ByteBuffer stream = ByteBuffer.allocate(sum);
        Random random = new Random(sum);
        for (int each : sizes) {
            byte[] body = new byte[each];
            random.nextBytes(body);
            ByteBuffer.wrap(body).putShort((short) 0); // a produce request
            stream.putInt(each).put(body);
        }
        return stream.flip();
    }

    private byte[] next() {
        ByteBuf frame = channel.readInbound();
        byte[] bytes = ByteBufUtil.getBytes(frame);
        frame.release();
        return bytes;
    }

    @Test
    void shouldReadOnIntoTheBufferThatHasTheBeginningOfALargeRequest() {
        ByteBuffer stream = frames(200_000, 200_000);
        while (channel.inboundMessages().isEmpty()) {
            read(stream, 50_000);
        }
        byte[] first = next();
        assertEquals(200_004, stream.position());
        offered.clear();
        while (channel.inboundMessages().isEmpty()) {
            read(stream, 50_000);
        }
        assertEquals(200_000, first.length);
        assertEquals(5, offered.size());
        for (ByteBuf each : offered) {
            assertSame(offered.get(0), each);
        }
        assertEquals(200_000, next().length);
    }

    @Test
    void shouldOfferWhatHasRoomForTheWholeRequestAfterALargeOne() {
        ByteBuffer stream = frames(300_000, 300_000, 10);
        while (stream.position() < 300_004) {
            read(stream, MIB);
        }
        assertEquals(300_004, read(stream, MIB));
        assertEquals(14, read(stream, MIB));
        assertEquals(3, channel.inboundMessages().size());
    }

    @Test
    void shouldAllocateForALargeRequestAsItsBytesArrive() {
        ByteBuffer stream = frames(90 * MIB);
        read(stream, 6);
        for (long arrived = 6; arrived < 20 * MIB; ) {
            arrived += read(stream, 100_000);
            int capacity = offered.get(offered.size() - 1).capacity();
            assertTrue(capacity <= Math.max(MIB, 2 * arrived), capacity + " for " + arrived);
        }
    }

    /** A connection that announces much and sends little costs little. */
    @Test
    void shouldAllocateLittleForALargeRequestOfWhichLittleHasArrived() {
        ByteBuffer stream = frames(MIB);
        read(stream, 6);
        for (int arrived = 6; arrived < 60_000; ) {
            arrived += read(stream, arrived < 100 ? 1 : 10_000);
            int capacity = offered.get(offered.size() - 1).capacity();
            assertTrue(capacity <= Math.max(64 << 10, 2 * arrived), capacity + " for " + arrived);
        }
    }

    @Test
    void shouldOfferOnlyALittleRoomWhileRequestsUseTooMuchMemory() {
        decoder.buffers().limit(bytes -> bytes <= 400_000);
        ByteBuffer stream = frames(900_000, 900_000);
        while (stream.hasRemaining()) {
            int before = stream.position() % 900_004;
            int count = read(stream, MIB);
            assertTrue(before < 70_000 || count <= 400_000, count + " at " + before);
            assertTrue(before < 400_000 || count <= before / 4 + 1, count + " at " + before);
        }
        assertEquals(900_000, next().length);
        assertEquals(900_000, next().length);
    }

    @Test
    void shouldReportTheMemoryOfARequestThatIsIncompleteAndNotOnlyWhatHasArrived() {
        int[] reported = {-1};
        decoder.onPartial(bytes -> reported[0] = bytes);
        ByteBuffer stream = frames(900_000);
        for (int i = 0; i < 3; i++) {
            read(stream, 70_000);
        }
        assertEquals(900_004, offered.get(2).capacity());
        assertEquals(900_004, reported[0]);
        while (stream.hasRemaining()) {
            read(stream, MIB);
        }
        assertEquals(0, reported[0]);
        next();
    }

    @Test
    void shouldKeepWhatHasArrivedWhenAReadBringsNothing() {
        ByteBuffer stream = frames(100_000, 70_000);
        byte[] all = new byte[stream.remaining()];
        stream.duplicate().get(all);
        while (stream.hasRemaining()) {
            read(stream, 0);
            read(stream, 30_001);
            read(stream, 0);
        }
        assertArrayEquals(ByteBufUtil.getBytes(Unpooled.wrappedBuffer(all, 4, 100_000)), next());
        assertArrayEquals(
                ByteBufUtil.getBytes(Unpooled.wrappedBuffer(all, 100_008, 70_000)), next());
    }

    @Test
    void shouldReceiveRequestsOfAnySizeInAnyPieces() {
        Random random = new Random(12);
        int[] sizes = random.ints(300, 8, 1_000).toArray();
        for (int i = 0; i < sizes.length; i += 1 + random.nextInt(5)) {
            sizes[i] = 8 + random.nextInt(1 << (4 + random.nextInt(15)));
        }
        ByteBuffer stream = frames(sizes);
        ByteBuffer expected = stream.duplicate();
        List<ByteBuf> kept = new ArrayList<>();
        while (stream.hasRemaining()) {
            read(stream, 1 + random.nextInt(1 << (4 + random.nextInt(15))));
            for (ByteBuf each = channel.readInbound(); each != null; each = channel.readInbound()) {
                kept.add(each); // as a request that waits: its bytes must stay as they are
            }
        }
        assertEquals(sizes.length, kept.size());
        for (ByteBuf each : kept) {
            byte[] bytes = new byte[expected.getInt()];
            expected.get(bytes);
            assertArrayEquals(bytes, ByteBufUtil.getBytes(each));
            each.release();
        }
    }
}
