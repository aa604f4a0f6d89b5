package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.internals.ByteUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that do what they should not; it costs them their connection and nobody else anything.
 */
@FirstRunOnly
class BadRequestTest {
    @TempDir Path directory;
    private Running running;

    @BeforeEach
    void start() throws Exception {
        running =
                new Running(
                        directory,
                        Map.of(
                                "max.connections", "20",
                                "socket.request.max.bytes", "2000000",
                                "connections.max.idle.ms", "1000",
                                "firn.write.stall.ms", "1500"));
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private static byte[] ask(ApiKeys key, int version) {
        return Wire.request(key, (short) version, key.messageType.newRequest());
    }

    private void produceOne() throws Exception {
        try (KafkaProducer<String, String> producer = running.producer(Map.of())) {
            producer.send(new ProducerRecord<>("alive", "v"))
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    /** A produce request may have 100 MB, and a tag without content has five bytes. */
    @Test
    void shouldEndAConnectionWhoseHeaderHasVeryManyTags() throws Exception {
        for (int tags : new int[] {100, 2_000}) {
            ByteBuffer header = ByteBuffer.allocate(10 + 2 + 5 * tags + 3);
            header.putShort(ApiKeys.LIST_GROUPS.id).putShort((short) 3).putInt(7);
            header.putShort((short) -1);
            ByteUtils.writeUnsignedVarint(tags, header);
            for (int tag = 0; tag < tags; tag++) {
                ByteUtils.writeUnsignedVarint(tag, header);
                header.put((byte) 0); // no content
            }
            header.put((byte) 0); // the request has no tags of its own
            try (Wire wire = new Wire(running.server())) {
                wire.send(java.util.Arrays.copyOf(header.array(), header.position()));
                if (tags == 100) {
                    assertEquals(7, wire.receive().getInt());
                } else {
                    assertThrows(IOException.class, wire::receive); // no response
                }
            }
        }
    }

    @Test
    void shouldEndAConnectionWhoseRequestTakesVeryLongToDecode() throws Exception {
        try (Wire wire = new Wire(running.server())) {
            wire.send(LongRequests.sameNames());
            assertTrue(wire.isClosedByServer());
        }
    }

    @Test
    void shouldEndConnectionsWhoseRequestsCannotBeRead() throws Exception {
        byte[] unknownApi = ask(ApiKeys.METADATA, 12);
        unknownApi[0] = 0x7f;
        byte[] unservedApi = Wire.request(ApiKeys.FETCH, (short) 12, new FetchRequestData());
        ByteBuffer.wrap(unservedApi).putShort(0, ApiKeys.VOTE.id);
        byte[] oldVersion = ask(ApiKeys.METADATA, 12);
        ByteBuffer.wrap(oldVersion).putShort(2, (short) 99);
        byte[] whole = ask(ApiKeys.METADATA, 12);
        byte[] cut = java.util.Arrays.copyOf(whole, whole.length - 1);
        byte[] lying = Wire.request(ApiKeys.METADATA, (short) 1, new MetadataRequestData());
        ByteBuffer.wrap(lying).putInt(lying.length - 4, Integer.MAX_VALUE); // so many topics
        List<byte[]> bad = new ArrayList<>();
        for (byte[] each : List.of(unknownApi, unservedApi, oldVersion, cut, lying)) {
            bad.add(Wire.framed(each));
        }
        bad.add(ByteBuffer.allocate(8).putInt(-1).array());
        bad.add(ByteBuffer.allocate(8).putInt(Integer.MAX_VALUE).array());
        bad.add(ByteBuffer.allocate(8).putInt(2_000_001).array());
        bad.add(
                "GET / HTTP/1.1\r\nHost: firn\r\n\r\n"
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8));
        for (int i = 0; i < bad.size(); i++) {
            try (Wire wire = new Wire(running.server())) {
                wire.sendRaw(bad.get(i));
                assertTrue(wire.isClosedByServer(), "number " + i);
            }
        }
        produceOne();
    }

    @Test
    void shouldAnswerANewerApiVersionsRequestWithWhatItKnows() throws Exception {
        byte[] newer = Wire.request(ApiKeys.API_VERSIONS, (short) 4, new ApiVersionsRequestData());
        ByteBuffer.wrap(newer).putShort(2, (short) 77);
        try (Wire wire = new Wire(running.server())) {
            wire.send(newer);
            ByteBuffer answer = wire.receive();
            assertEquals(7, answer.getInt());
            ApiVersionsResponseData versions = new ApiVersionsResponseData();
            versions.read(new ByteBufferAccessor(answer), (short) 0);
            assertEquals(Errors.UNSUPPORTED_VERSION.code(), versions.errorCode());
            assertEquals(5, versions.apiKeys().find(ApiKeys.API_VERSIONS.id).maxVersion());
            assertEquals(0, versions.apiKeys().find(ApiKeys.PRODUCE.id).minVersion());
        }
    }

    @Test
    void shouldCoordinateTransactions() throws Exception {
        FindCoordinatorRequestData ask =
                new FindCoordinatorRequestData()
                        .setKeyType((byte) 1)
                        .setCoordinatorKeys(List.of("tx"));
        try (Wire wire = new Wire(running.server())) {
            wire.send(Wire.request(ApiKeys.FIND_COORDINATOR, (short) 4, ask));
            ByteBuffer answer = wire.receive();
            answer.position(5); // correlation id, tagged fields
            FindCoordinatorResponseData found = new FindCoordinatorResponseData();
            found.read(new ByteBufferAccessor(answer), (short) 4);
            assertEquals(Errors.NONE.code(), found.coordinators().get(0).errorCode());
            assertEquals(running.server().port(), found.coordinators().get(0).port());
        }
    }

    @Test
    void shouldRefuseConnectionsAboveTheirNumberAndEndIdleOnes() throws Exception {
        List<Wire> wires = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                Wire wire = new Wire(running.server());
                wires.add(wire);
                wire.send(ask(ApiKeys.METADATA, 12));
                wire.receive();
            }
            try (Wire tooMany = new Wire(running.server())) {
                assertTrue(tooMany.isClosedByServer());
            }
            assertTrue(wires.get(0).isClosedByServer()); // it has nothing to say
        } finally {
            for (Wire wire : wires) {
                wire.close();
            }
        }
        produceOne();
    }

    /** It may not stall producers, nor hold the log's bytes for ever. */
    @Test
    void shouldNotLetAClientThatTakesNoAnswersStallAnybody() throws Exception {
        running.createTopic("big", 1, Map.of());
        byte[] value = new byte[500_000];
        try (KafkaProducer<byte[], byte[]> producer = running.rawProducer(Map.of())) {
            for (int i = 0; i < 40; i++) {
                var unused = producer.send(new ProducerRecord<>("big", value));
            }
        }
        try (KafkaProducer<byte[], byte[]> producer = running.rawProducer(Map.of());
                Wire stuck = new Wire(running.server())) {
            FetchRequestData fetch =
                    new FetchRequestData()
                            .setMaxWaitMs(100)
                            .setMinBytes(1)
                            .setTopics(
                                    List.of(
                                            new FetchTopic()
                                                    .setTopic("big")
                                                    .setPartitions(
                                                            List.of(
                                                                    new FetchPartition()
                                                                            .setPartition(0)
                                                                            .setPartitionMaxBytes(
                                                                                    50 << 20)))));
            for (int i = 0; i < 50; i++) {
                stuck.send(Wire.request(ApiKeys.FETCH, (short) 12, fetch));
            }
            for (int i = 0; i < 40; i++) { // rolls several segments meanwhile
                producer.send(new ProducerRecord<>("big", value))
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
            // What it holds goes when its time is up; so the topic's space can come back.
            try (var admin = running.admin()) {
                admin.deleteTopics(List.of("big"))
                        .all()
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
            Running.await(
                    "the topic's files to go",
                    () -> running.store().metrics().tiers().get(0).usedBytes() == 0);
            assertTrue(stuck.isClosedByServer());
        }
    }
}
