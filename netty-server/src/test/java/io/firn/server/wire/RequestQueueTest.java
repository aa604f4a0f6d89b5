package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When requests that have arrived are handled, and others are read. */
class RequestQueueTest {
    private static final String CLIENT = "a";
    private static final long TOO_MUCH = 60_000_000;

    private final ServerContext server =
            new ServerContext(
                    new ApiTable(),
                    new ServerLimits(1_000_000, 8, 100_000_000, 10, 10, 600_000, 30_000),
                    (key, error) -> error);
    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    private final ConnectionMemory memory = new ConnectionMemory(server.memory());
    private final ConnectionMemory others = new ConnectionMemory(server.memory());
    private int looks;
    private int freedAfterLooks = Integer.MAX_VALUE;
    private int handled;

    private final RequestQueue queue = queue();

    private RequestQueue queue() {
        ChannelHandlerContext ctx = channel.pipeline().firstContext();
        ConnectionResponseMemory answers =
                new ConnectionResponseMemory(server.answers(), this::owner);
        return new RequestQueue(
                server,
                ctx,
                memory,
                new ResponseQueue(ctx, answers, false, (reason, cause) -> {}),
                this::handle);
    }

    /** Asked for at each look at the client's memory, which another thread frees at some time. */
    private String owner() {
        if (looks++ == freedAfterLooks) {
            server.answers().add(CLIENT, -TOO_MUCH);
        }
        return CLIENT;
    }

    private void handle(ByteBuf frame) {
        handled++;
        frame.release();
    }

    private void runOn(long ms) {
        channel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
        channel.runPendingTasks();
    }

    @AfterEach
    void close() {
        queue.clear();
        channel.finishAndReleaseAll();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void shouldHandleAndReadOnWheneverTheMemoryOfAnswersIsFreed(int looksBefore) {
        freedAfterLooks = looksBefore;
        server.answers().add(CLIENT, TOO_MUCH);
        queue.add(channel.alloc().buffer().writeZero(8));
        assertEquals(0, handled);
        for (int i = 0; i < 10; i++) {
            runOn(10);
        }
        assertEquals(1, handled);
        assertTrue(channel.config().isAutoRead());
    }

    @Test
    void shouldDecodeNoMoreOfAClientWhileRequestsUseTooMuchAsObjects() {
        memory.belongTo(CLIENT);
        others.belongTo(CLIENT);
        others.add(TOO_MUCH, TOO_MUCH);
        queue.add(channel.alloc().buffer().writeZero(8));
        runOn(100);
        assertEquals(0, handled);
        others.add(-TOO_MUCH, -TOO_MUCH);
        runOn(100);
        assertEquals(1, handled);
    }

    @Test
    void shouldDecodeRequestsOfAnotherClientWhileRequestsUseTooMuchAsObjects() {
        memory.belongTo(CLIENT);
        others.belongTo("another");
        others.add(TOO_MUCH, TOO_MUCH);
        queue.add(channel.alloc().buffer().writeZero(8));
        assertEquals(1, handled);
    }

    /** What only waits to be decoded would wait for ever, if it counted. */
    @Test
    void shouldDecodeRequestsWhileOthersAreReceivedThatUseTooMuch() {
        memory.belongTo(CLIENT);
        others.belongTo(CLIENT);
        others.add(TOO_MUCH);
        queue.add(channel.alloc().buffer().writeZero(8));
        assertEquals(1, handled);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void shouldReadOnWheneverTheMemoryOfAnswersIsFreed(int looksBefore) {
        freedAfterLooks = looksBefore;
        server.answers().add(CLIENT, TOO_MUCH);
        queue.handleNext();
        assertFalse(channel.config().isAutoRead());
        for (int i = 0; i < 10; i++) {
            runOn(10);
        }
        assertTrue(channel.config().isAutoRead());
    }

    @Test
    void shouldPauseBeforeALargeRequestOfAClientWhoseLastOneTookLongToDecode() {
        memory.belongTo(CLIENT);
        server.decodePauses().took(CLIENT, 200_000_000, channel.eventLoop().ticker().nanoTime());
        queue.add(channel.alloc().buffer().writeZero(1_000));
        assertEquals(1, handled, "a small one");
        queue.add(channel.alloc().buffer().writeZero(100_000));
        runOn(1_000);
        assertEquals(1, handled);
        assertFalse(channel.config().isAutoRead());
        runOn(1_500);
        assertEquals(2, handled);
        assertTrue(channel.config().isAutoRead());
    }
}
