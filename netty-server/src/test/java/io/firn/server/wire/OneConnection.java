package io.firn.server.wire;

import io.firn.server.security.Authentication;
import io.firn.server.security.ListenerSecurity;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.FileRegion;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersionCollection;

/**
 * A connection of a server without sockets and threads: bytes in, bytes out, on the caller's
 * thread.
 */
public final class OneConnection {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ByteArrayOutputStream answers = new ByteArrayOutputStream();

    /** With handlers as the server's own connections have. */
    public OneConnection(ServerContext server) {
        channel.config().setAllocator(allocator);
        FrameDecoder frames = new FrameDecoder(server.limits().requestBytes());
        channel.pipeline()
                .addLast(
                        frames,
                        new Connection(
                                server, frames, new Authentication(ListenerSecurity.PLAIN, null)));
    }

    /** What a server serves. */
    public static ApiVersionCollection served(ServerContext server) {
        return server.apis().versions().apiKeys();
    }

    /** Says something. */
    public void send(byte[] bytes) {
        channel.writeInbound(allocator.buffer(bytes.length).writeBytes(bytes));
        takeAnswers();
    }

    /** Has the connection do what was to be done within some ms. */
    public void runOn(long ms) {
        channel.advanceTimeBy(ms, java.util.concurrent.TimeUnit.MILLISECONDS);
        if (channel.isOpen()) {
            channel.flushInbound(); // runs tasks, and none within another, as an event loop does
        } else {
            channel.runPendingTasks();
        }
        takeAnswers();
    }

    private void takeAnswers() {
        for (Object part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            if (part instanceof FileRegion region) {
                take(region);
            } else {
                ByteBuf buffer = (ByteBuf) part;
                byte[] bytes = new byte[buffer.readableBytes()];
                buffer.readBytes(bytes);
                answers.writeBytes(bytes);
            }
            ReferenceCountUtil.release(part);
        }
    }

    private void take(FileRegion region) {
        try {
            while (region.transferred() < region.count()) {
                region.transferTo(Channels.newChannel(answers), region.transferred());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All that was answered. */
    public byte[] answers() {
        return answers.toByteArray();
    }

    /** Whether the server has not ended it. */
    public boolean isOpen() {
        return channel.isOpen();
    }

    /** Goes away, in the middle of whatever it is. */
    public void cut() {
        var unused = channel.close();
        channel.runPendingTasks();
        takeAnswers();
        channel.finishAndReleaseAll();
    }

    /** Bytes of buffers that nobody has released. */
    public long usedBytes() {
        return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }
}
