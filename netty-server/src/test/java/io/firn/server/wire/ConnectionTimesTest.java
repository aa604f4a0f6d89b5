package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.server.config.ServerConfig;
import io.firn.server.quota.TimeQuota;
import io.firn.server.security.AuditLog;
import io.firn.server.security.Authentication;
import io.firn.server.security.ListenerSecurity;
import io.firn.server.security.ServerSecurity;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

/** What a connection does as time passes, by a clock that the test sets. */
class ConnectionTimesTest {
    private static final long IDLE_MS = 10_000;
    private static final long STALL_MS = 500;

    /** A quarter of all that there may be. */
    private static final int UNAUTHENTICATED_OF_ONE = 2;

    private final MockTicker clock = Ticker.newMockTicker();
    private final ServerContext server = server();

    private long throttleMs;
    private long delayMs;

    private ServerContext server() {
        ApiTable table = new ApiTable();
        table.serve(
                ApiKeys.API_VERSIONS,
                ApiVersionsRequestData.class,
                (exchange, request) -> {
                    if (throttleMs > 0) {
                        exchange.connection().throttle(throttleMs);
                    }
                    exchange.reply(table.versions());
                });
        ServerLimits limits =
                new ServerLimits(1_000_000, 8, 100_000_000, 10, 10, IDLE_MS, STALL_MS);
        return new ServerContext(
                table, limits, (key, error) -> error, address -> delayMs, TimeQuota.NONE);
    }

    /** Keeps answers back, as a client does that does not read. */
    private static final class NoWrites extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            ReferenceCountUtil.release(message);
        }
    }

    private EmbeddedChannel connect() {
        return connect(ListenerSecurity.PLAIN);
    }

    private EmbeddedChannel connect(ListenerSecurity listener) {
        FrameDecoder frames = new FrameDecoder(server.limits().requestBytes());
        EmbeddedChannel channel = EmbeddedChannel.builder().ticker(clock).build();
        channel.pipeline()
                .addLast(
                        frames, new Connection(server, frames, new Authentication(listener, null)));
        channel.pipeline().fireChannelActive();
        return channel;
    }

    private static void ask(EmbeddedChannel channel) {
        byte[] request = {0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, -1, -1};
        channel.writeInbound(channel.alloc().buffer().writeBytes(request));
    }

    private void pass(EmbeddedChannel channel, long ms) {
        clock.advanceMillis(ms);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();
    }

    /** How long the event loop has nothing to do for the connection. */
    private static long restMs(EmbeddedChannel channel) {
        return TimeUnit.NANOSECONDS.toMillis(channel.runScheduledPendingTasks());
    }

    @Test
    void shouldGiveTheEventLoopNothingToDoUntilAnIdleConnectionHasToEnd() {
        EmbeddedChannel channel = connect();
        ask(channel);
        channel.releaseOutbound();
        assertEquals(IDLE_MS, restMs(channel));
        pass(channel, IDLE_MS - 1);
        assertTrue(channel.isOpen());
        pass(channel, 2);
        assertFalse(channel.isOpen());
        channel.finishAndReleaseAll();
    }

    @Test
    void shouldKeepAConnectionThatAsksNowAndThen() {
        EmbeddedChannel channel = connect();
        for (int i = 0; i < 5; i++) {
            pass(channel, IDLE_MS * 2 / 3);
            assertTrue(channel.isOpen());
            ask(channel);
            channel.releaseOutbound();
        }
        pass(channel, IDLE_MS + 1);
        assertFalse(channel.isOpen());
        channel.finishAndReleaseAll();
    }

    @Test
    void shouldReadNothingFromAThrottledConnectionAndKeepItUntilItsClientCouldGoOn() {
        EmbeddedChannel channel = connect();
        throttleMs = 3 * IDLE_MS;
        ask(channel);
        throttleMs = 0;
        assertTrue(channel.outboundMessages().size() > 0, "answered at once");
        channel.releaseOutbound();
        assertFalse(channel.config().isAutoRead());
        ask(channel); // was on its way
        for (int i = 0; i < 5; i++) {
            pass(channel, IDLE_MS / 2);
            assertTrue(channel.isOpen());
            assertFalse(channel.config().isAutoRead());
            assertEquals(0, channel.outboundMessages().size());
        }
        pass(channel, IDLE_MS / 2 + 1);
        assertTrue(channel.isOpen());
        assertTrue(channel.config().isAutoRead());
        assertTrue(channel.outboundMessages().size() > 0);
        channel.releaseOutbound();
        pass(channel, IDLE_MS - 2);
        assertTrue(channel.isOpen());
        pass(channel, 3);
        assertFalse(channel.isOpen());
        channel.finishAndReleaseAll();
    }

    /** Nobody would see that its quota is raised, or, by NIO, that the client has gone. */
    @Test
    void shouldReadAgainAfterHalfAMinuteHoweverLongTheClientHasBeenToldToWait() {
        EmbeddedChannel channel = connect();
        throttleMs = Integer.MAX_VALUE;
        ask(channel);
        channel.releaseOutbound();
        ask(channel); // was on its way
        pass(channel, 29_999);
        assertFalse(channel.config().isAutoRead());
        assertEquals(0, channel.outboundMessages().size());
        throttleMs = 0;
        pass(channel, 2);
        assertTrue(channel.config().isAutoRead());
        assertTrue(channel.outboundMessages().size() > 0);
        channel.releaseOutbound();
        pass(channel, IDLE_MS + 1);
        assertFalse(channel.isOpen(), "idle");
        channel.finishAndReleaseAll();
    }

    @Test
    void shouldReadNothingFromAConnectionThatComesTooSoonUntilItsTimeHasCome() {
        delayMs = 5_000;
        EmbeddedChannel channel = connect();
        assertFalse(channel.config().isAutoRead());
        assertEquals(1, server.connections().count());
        ask(channel); // as if it had been read all the same
        pass(channel, 4_999);
        assertEquals(0, channel.outboundMessages().size());
        assertTrue(channel.isOpen());
        pass(channel, 2);
        assertTrue(channel.config().isAutoRead());
        assertTrue(channel.outboundMessages().size() > 0);
        channel.releaseOutbound();
        channel.finishAndReleaseAll();
    }

    @Test
    void shouldCloseAConnectionThatWouldHaveToWaitForTooLong() {
        delayMs = -1;
        EmbeddedChannel channel = connect();
        channel.runPendingTasks();
        assertFalse(channel.isOpen());
        assertEquals(0, server.connections().count());
        channel.finishAndReleaseAll();
    }

    private static ListenerSecurity sasl() {
        ServerConfig config =
                ServerConfig.of(
                        Map.of(
                                "listeners", "SASL_PLAINTEXT://127.0.0.1:0",
                                "sasl.enabled.mechanisms", "SCRAM-SHA-512"));
        return new ServerSecurity(
                        config,
                        new ListenerSecurity.Services(
                                null, Runnable::run, null, new AuditLog(), null))
                .listener("SASL_PLAINTEXT");
    }

    @Test
    void shouldNotCloseOthersInFavourOfAConnectionThatIsRefused() {
        ListenerSecurity listener = sasl();
        List<EmbeddedChannel> all = new ArrayList<>();
        for (int i = 0; i < UNAUTHENTICATED_OF_ONE; i++) {
            all.add(connect(listener));
        }
        delayMs = -1;
        EmbeddedChannel refused = connect(listener);
        refused.runPendingTasks();
        assertFalse(refused.isOpen());
        for (EmbeddedChannel each : all) {
            each.runPendingTasks();
            assertTrue(each.isOpen());
        }
        delayMs = 0;
        all.add(connect(listener));
        all.get(0).runPendingTasks();
        assertFalse(all.get(0).isOpen(), "the oldest makes room for one that is not refused");
        all.forEach(EmbeddedChannel::finishAndReleaseAll);
        assertEquals(0, server.connections().count());
    }

    @Test
    void shouldEndAConnectionWhoseClientTakesNoAnswers() {
        EmbeddedChannel channel = connect();
        channel.pipeline().addFirst(new NoWrites());
        pass(channel, IDLE_MS / 2);
        ask(channel);
        pass(channel, STALL_MS - 1);
        assertTrue(channel.isOpen());
        pass(channel, 2);
        assertFalse(channel.isOpen());
        channel.finishAndReleaseAll();
    }

    @Test
    void shouldLeaveNothingBehindInTheEventLoopWhenAConnectionEnds() {
        EmbeddedChannel channel = connect();
        assertNotEquals(-1, channel.runScheduledPendingTasks());
        channel.pipeline().fireChannelInactive(); // its close would itself cancel what is scheduled
        assertEquals(-1, channel.runScheduledPendingTasks());
        channel.finishAndReleaseAll();
    }
}
