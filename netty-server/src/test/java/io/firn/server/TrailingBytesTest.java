package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests that are longer than their fields. Kafka ignores what follows, and clients rely on it.
 */
class TrailingBytesTest {
    @TempDir Path directory;
    private Running running;

    @BeforeEach
    void start() throws Exception {
        running = new Running(directory);
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private static byte[] longer(byte[] request, int more) {
        return Arrays.copyOf(request, request.length + more);
    }

    /** A frame of librdkafka 2.16, byte for byte; list_topics() sends it. */
    @Test
    void shouldListAllTopicsWhenLibrdkafkaAsks() throws Exception {
        running.createTopic("one", 1, Map.of());
        running.createTopic("two", 2, Map.of());
        byte[] frame =
                HexFormat.of()
                        .parseHex("000000190003000d00000003000772646b61666b610000000000010000");
        try (Wire wire = new Wire(running.server())) {
            wire.sendRaw(frame);
            MetadataResponseData answer =
                    wire.receive(ApiKeys.METADATA, 13, new MetadataResponseData());
            Set<String> names = new TreeSet<>();
            answer.topics().forEach(each -> names.add(each.name()));
            assertTrue(names.containsAll(Set.of("one", "two")), names.toString());
        }
        assertEquals(1, running.server().metrics().getRequestsWithTrailingBytes());
        assertEquals(3, running.server().metrics().getTrailingBytes());
    }

    @Test
    void shouldIgnoreWhatFollowsARequestOfEveryApiAndVersion() throws Exception {
        ApiVersionsResponseData served;
        try (Wire wire = new Wire(running.server())) {
            served =
                    wire.ask(
                            ApiKeys.API_VERSIONS,
                            3,
                            new ApiVersionsRequestData(),
                            new ApiVersionsResponseData());
        }
        long before = running.server().metrics().getRequestsWithTrailingBytes();
        long sent = 0;
        for (ApiVersion each : served.apiKeys()) {
            ApiKeys key = ApiKeys.forId(each.apiKey());
            for (short v = key.oldestVersion(); v <= each.maxVersion(); v++) {
                try (Wire wire = new Wire(running.server())) {
                    byte[] request = Wire.request(key, v, key.messageType.newRequest());
                    // The third request shows that the connection goes on behind the others.
                    wire.send(longer(request, 5));
                    wire.send(longer(request, 1));
                    byte[] last = last();
                    wire.send(last);
                    while (wire.receive().getInt() != ByteBuffer.wrap(last).getInt(4)) {
                        continue;
                    }
                }
                sent += 2;
            }
        }
        assertEquals(before + sent, running.server().metrics().getRequestsWithTrailingBytes());
        assertEquals(3 * sent, running.server().metrics().getTrailingBytes());
    }

    private static byte[] last() {
        byte[] request =
                Wire.request(ApiKeys.API_VERSIONS, (short) 0, new ApiVersionsRequestData());
        ByteBuffer.wrap(request).putInt(4, 1234);
        return request;
    }

    /**
     * What follows is not decoded, so it costs no more than its bytes, and these are given back.
     */
    @Test
    void shouldHoldNothingOfAMegabyteThatFollowsARequest() throws Exception {
        try (Wire wire = new Wire(running.server())) {
            ApiMessage metadata = ApiKeys.METADATA.messageType.newRequest();
            for (int i = 0; i < 20; i++) {
                wire.send(longer(Wire.request(ApiKeys.METADATA, (short) 12, metadata), 1 << 20));
                wire.receive(ApiKeys.METADATA, 12, new MetadataResponseData());
            }
            Running.await(
                    "the requests' memory", () -> running.server().metrics().getQueuedBytes() == 0);
            byte[] request = Wire.request(ApiKeys.METADATA, (short) 12, metadata);
            // More than the limit: its begin is enough for the server to refuse it.
            wire.sendRaw(ByteBuffer.allocate(8).putInt((8 << 20) + 1).put(request, 0, 4).array());
            assertTrue(wire.isClosedByServer());
        }
        assertEquals(20L << 20, running.server().metrics().getTrailingBytes());
    }

    @Test
    void shouldKnowWhatAMemberSubscribesToWhenMoreFollows() throws Exception {
        running.createTopic("orders", 1, Map.of());
        ByteBuffer subscription =
                ConsumerProtocol.serializeSubscription(new Subscription(List.of("orders")));
        byte[] metadata = new byte[subscription.remaining() + 7];
        subscription.get(metadata, 0, subscription.remaining());
        JoinGroupRequestData join =
                new JoinGroupRequestData()
                        .setGroupId("g")
                        .setSessionTimeoutMs(30_000)
                        .setRebalanceTimeoutMs(30_000)
                        .setProtocolType("consumer");
        join.protocols()
                .mustAdd(new JoinGroupRequestProtocol().setName("range").setMetadata(metadata));
        try (Wire wire = new Wire(running.server())) {
            JoinGroupResponseData joined =
                    wire.ask(ApiKeys.JOIN_GROUP, 3, join, new JoinGroupResponseData());
            assertEquals(Errors.NONE.code(), joined.errorCode());
            SyncGroupRequestData sync =
                    new SyncGroupRequestData()
                            .setGroupId("g")
                            .setGenerationId(joined.generationId())
                            .setMemberId(joined.memberId())
                            .setAssignments(
                                    List.of(
                                            new SyncGroupRequestAssignment()
                                                    .setMemberId(joined.memberId())
                                                    .setAssignment(new byte[9])));
            SyncGroupResponseData synced =
                    wire.ask(ApiKeys.SYNC_GROUP, 2, sync, new SyncGroupResponseData());
            assertEquals(9, synced.assignment().length);
            OffsetDeleteRequestData delete = new OffsetDeleteRequestData().setGroupId("g");
            delete.topics()
                    .mustAdd(
                            new OffsetDeleteRequestTopic()
                                    .setName("orders")
                                    .setPartitions(List.of(new OffsetDeleteRequestPartition())));
            OffsetDeleteResponseData deleted =
                    wire.ask(ApiKeys.OFFSET_DELETE, 0, delete, new OffsetDeleteResponseData());
            assertEquals(
                    Errors.GROUP_SUBSCRIBED_TO_TOPIC.code(),
                    deleted.topics().find("orders").partitions().find(0).errorCode());
        }
    }
}
