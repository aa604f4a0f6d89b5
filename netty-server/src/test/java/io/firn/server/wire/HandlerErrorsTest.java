package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.ClosedException;
import io.firn.server.security.Authentication;
import io.firn.server.security.ListenerSecurity;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A request whose handler fails in a way that nobody expects is answered nevertheless. */
class HandlerErrorsTest {
    /** With a filter, which makes it an object of some size. */
    private static final byte[] LIST_GROUPS = {
        0, 0, 0, 16, 0, 16, 0, 4, 0, 0, 0, 7, -1, -1, 0, 2, 3, 'a', 'b', 0
    };

    /** Metadata, version 1, with null for the topics. */
    private static final byte[] ALL_TOPICS = {
        0, 0, 0, 14, 0, 3, 0, 1, 0, 0, 0, 7, -1, -1, -1, -1, -1, -1
    };

    private final Deque<Runnable> background = new ArrayDeque<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private ServerContext server;

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void serve(Handler<ListGroupsRequestData> handler) {
        serve(ApiTable.Observer.NONE, handler);
    }

    private void serve(ApiTable.Observer observer, Handler<ListGroupsRequestData> handler) {
        ApiTable table = new ApiTable(observer);
        table.serve(ApiKeys.LIST_GROUPS, ListGroupsRequestData.class, background::add, handler);
        serve(table, LIST_GROUPS);
    }

    private void serve(ApiTable table, byte[] request) {
        ServerLimits limits = new ServerLimits(1_000_000, 8, 100_000_000, 10, 10, 600_000, 30_000);
        server =
                new ServerContext(
                        table, limits, (key, error) -> Errors.forException(error).exception());
        FrameDecoder frames = new FrameDecoder(limits.requestBytes());
        channel.pipeline()
                .addLast(
                        frames,
                        new Connection(
                                server, frames, new Authentication(ListenerSecurity.PLAIN, null)));
        channel.pipeline().fireChannelActive();
        channel.writeInbound(channel.alloc().buffer().writeBytes(request));
    }

    private void runBackground() {
        for (Runnable next = background.poll(); next != null; next = background.poll()) {
            next.run();
        }
        channel.runPendingTasks();
    }

    @Test
    void shouldAnswerWhenAnErrorEndsTheHandlerInTheBackgroundAndPassTheErrorOn() {
        Error error = new OutOfMemoryError("by test");
        serve(
                (exchange, request) -> {
                    throw error;
                });
        assertNull(channel.readOutbound());
        assertSame(error, assertThrows(Error.class, background.poll()::run));
        channel.runPendingTasks();
        ByteBuf answer = channel.readOutbound();
        assertEquals(7, answer.getInt(4)); // of the request
        assertEquals(Errors.UNKNOWN_SERVER_ERROR.code(), answer.getShort(13));
        answer.release();
    }

    @Test
    void shouldEndTheConnectionWhereAnErrorWouldLookLikeAnEmptyCluster() {
        ApiTable table = new ApiTable(ApiTable.Observer.NONE);
        table.serve(
                ApiKeys.METADATA,
                MetadataRequestData.class,
                background::add,
                (exchange, request) -> {
                    throw new ClosedException("the store is closed");
                });
        serve(table, ALL_TOPICS);
        runBackground();
        assertNull(channel.readOutbound());
        assertFalse(channel.isOpen());
    }

    @Test
    void shouldCountARequestUntilItsWorkHasEndedAlthoughItsConnectionHasEnded() {
        List<String> done = new ArrayList<>();
        serve(
                (exchange, request) ->
                        exchange.changeInSteps(
                                List.of("first", "second"),
                                done::add,
                                () -> exchange.reply(new ListGroupsResponseData())));
        long received = server.heldBytes();
        assertTrue(received > 0);
        var unused = channel.close();
        channel.runPendingTasks();
        long kept = server.heldBytes();
        assertTrue(0 < kept && kept <= received, kept + " bytes");
        runBackground();
        assertEquals(List.of("first", "second"), done);
        assertEquals(0, server.heldBytes());
    }

    @Test
    void shouldTellObserversWhatWasDoneBeforeTheConnectionEnded() {
        List<ApiMessage> observed = new ArrayList<>();
        ApiTable.Observer observer =
                new ApiTable.Observer() {
                    @Override
                    public boolean isInterestedIn(Exchange exchange) {
                        return true;
                    }

                    @Override
                    public void onAnswer(Exchange of, ApiMessage request, ApiMessage response) {
                        observed.add(response);
                    }
                };
        ListGroupsResponseData response = new ListGroupsResponseData();
        serve(
                observer,
                (exchange, request) ->
                        exchange.inSteps(
                                List.of("first", "second"),
                                each -> {
                                    response.groups().add(new ListedGroup().setGroupId(each));
                                    var unused = channel.close();
                                },
                                () -> exchange.reply(response)));
        runBackground();
        assertEquals(List.of(response), observed);
        assertEquals(1, response.groups().size());
    }
}
