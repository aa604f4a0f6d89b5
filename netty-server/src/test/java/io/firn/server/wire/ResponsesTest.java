package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.firn.server.security.Authentication;
import io.firn.server.security.ListenerSecurity;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How responses reach the socket. */
final class ResponsesTest {
    private static final int REQUESTS = 5;

    private final List<Exchange> asked = new ArrayList<>();
    private final ApiTable table = new ApiTable();
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private boolean answersAtOnce;
    private int flushes;

    ResponsesTest() {
        table.serve(
                ApiKeys.API_VERSIONS,
                ApiVersionsRequestData.class,
                (exchange, request) -> {
                    asked.add(exchange);
                    if (answersAtOnce) {
                        exchange.reply(table.versions());
                    }
                });
        ServerLimits limits = new ServerLimits(1_000_000, 8, 100_000_000, 10, 10, 600_000, 30_000);
        ServerContext server = new ServerContext(table, limits, (key, error) -> error);
        FrameDecoder frames = new FrameDecoder(limits.requestBytes());
        channel.pipeline()
                .addLast(
                        new CountFlushes(),
                        frames,
                        new Connection(
                                server, frames, new Authentication(ListenerSecurity.PLAIN, null)));
        channel.pipeline().fireChannelActive();
    }

    private final class CountFlushes extends ChannelOutboundHandlerAdapter {
        @Override
        public void flush(ChannelHandlerContext ctx) {
            flushes++;
            ctx.flush();
        }
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void ask() {
        ByteBuf all = channel.alloc().buffer();
        for (int i = 0; i < REQUESTS; i++) {
            all.writeBytes(new byte[] {0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, (byte) i, -1, -1});
        }
        channel.writeInbound(all);
    }

    /** Checks that one buffer has all responses, in the order of the requests. */
    private void checkSent() {
        ByteBuf sent = channel.readOutbound();
        for (int i = 0; i < REQUESTS; i++) {
            int length = sent.readInt();
            assertEquals(i, sent.getInt(sent.readerIndex()));
            sent.skipBytes(length);
        }
        assertEquals(0, sent.readableBytes());
        sent.release();
        assertNull(channel.readOutbound());
        assertEquals(1, flushes);
    }

    @Test
    void shouldSendTheResponsesToOneReadTogether() {
        answersAtOnce = true;
        ask();
        checkSent();
    }

    @Test
    void shouldSendTogetherWhatIsAnsweredAtOnceLater() {
        ask();
        for (int i = REQUESTS - 1; i >= 0; i--) { // as a force completes them, in any order
            asked.get(i).reply(table.versions());
        }
        assertEquals(0, flushes);
        channel.runPendingTasks();
        checkSent();
    }

    @Test
    void shouldSendWhatIsAnsweredAfterALaterRead() {
        ask();
        channel.pipeline().fireChannelReadComplete();
        asked.get(0).reply(table.versions());
        channel.runPendingTasks();
        assertEquals(1, flushes);
        channel.releaseOutbound();
    }
}
