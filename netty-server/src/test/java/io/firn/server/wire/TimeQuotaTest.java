package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.server.Wire;
import io.firn.server.quota.TimeQuota;
import io.firn.server.security.Authentication;
import io.firn.server.security.ListenerSecurity;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;

/** Of which requests the time counts. */
class TimeQuotaTest {
    private static final long LONG_NS = 20_000_000;

    private final List<String> recorded = new ArrayList<>();
    private final Deque<Runnable> background = new ArrayDeque<>();
    private long recordedNs;
    private boolean limited = true;

    private final TimeQuota quota =
            new TimeQuota() {
                @Override
                public boolean isTimeLimited() {
                    return limited;
                }

                @Override
                public long recordTime(String principal, String clientId, long ns) {
                    assertTrue(ns >= 0, ns + " ns");
                    recordedNs += ns;
                    recorded.add(principal + " " + clientId);
                    return 0;
                }
            };

    private ServerContext server() {
        ApiTable table = new ApiTable();
        table.serve(
                ApiKeys.API_VERSIONS,
                ApiVersionsRequestData.class,
                (exchange, request) -> exchange.reply(table.versions()));
        table.serve(
                ApiKeys.PRODUCE,
                ProduceRequestData.class,
                (exchange, request) -> exchange.replyNothing());
        table.serve(
                ApiKeys.HEARTBEAT,
                HeartbeatRequestData.class,
                (exchange, request) -> exchange.fail(new IllegalStateException("it fails")));
        table.serve(
                ApiKeys.LIST_GROUPS,
                ListGroupsRequestData.class,
                background::add,
                (exchange, request) -> {
                    long began = System.nanoTime();
                    while (System.nanoTime() - began < LONG_NS) {
                        Thread.onSpinWait();
                    }
                    exchange.reply(new ListGroupsResponseData());
                });
        table.serve(
                ApiKeys.SASL_HANDSHAKE,
                SaslHandshakeRequestData.class,
                (exchange, request) -> exchange.reply(new SaslHandshakeResponseData()));
        table.serve(
                ApiKeys.WRITE_TXN_MARKERS,
                WriteTxnMarkersRequestData.class,
                (exchange, request) -> exchange.reply(new WriteTxnMarkersResponseData()));
        ServerLimits limits = new ServerLimits(1_000_000, 8, 100_000_000, 10, 10, 600_000, 30_000);
        return new ServerContext(table, limits, (key, error) -> error, address -> 0, quota);
    }

    /** The clients that are counted for a request, once for each part. */
    private List<String> counted(ApiKeys key, int version, ApiMessage request) {
        recorded.clear();
        ServerContext server = server();
        FrameDecoder frames = new FrameDecoder(server.limits().requestBytes());
        EmbeddedChannel channel =
                new EmbeddedChannel(
                        frames,
                        new Connection(
                                server, frames, new Authentication(ListenerSecurity.PLAIN, null)));
        byte[] body = Wire.request(key, (short) version, request, "app");
        channel.writeInbound(Unpooled.buffer().writeInt(body.length).writeBytes(body));
        while (!background.isEmpty()) {
            background.poll().run();
            channel.runPendingTasks();
        }
        channel.finishAndReleaseAll();
        return recorded.stream().distinct().toList();
    }

    @Test
    void shouldCountRequestsThatAreAnsweredAlsoWithAnError() {
        List<String> client = List.of("User:ANONYMOUS app");
        assertEquals(client, counted(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData()));
        HeartbeatRequestData heartbeat =
                new HeartbeatRequestData().setGroupId("g").setMemberId("m");
        assertEquals(client, counted(ApiKeys.HEARTBEAT, 1, heartbeat));
    }

    @Test
    void shouldCountWorkInTheBackground() {
        List<String> client = List.of("User:ANONYMOUS app");
        assertEquals(client, counted(ApiKeys.LIST_GROUPS, 1, new ListGroupsRequestData()));
        assertTrue(recordedNs >= LONG_NS, recordedNs + " ns");
    }

    @Test
    void shouldNotCountWhatKafkaDoesNotCount() {
        SaslHandshakeRequestData handshake = new SaslHandshakeRequestData().setMechanism("PLAIN");
        assertEquals(List.of(), counted(ApiKeys.SASL_HANDSHAKE, 1, handshake));
        WriteTxnMarkersRequestData markers = new WriteTxnMarkersRequestData();
        assertEquals(List.of(), counted(ApiKeys.WRITE_TXN_MARKERS, 1, markers));
    }

    @Test
    void shouldMeasureNothingWithoutAQuota() {
        limited = false;
        assertEquals(List.of(), counted(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData()));
    }
}
