package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterClientQuotasOptions;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaAlteration.Op;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.quota.ClientQuotaFilterComponent;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Quotas as Kafka's clients set them, and what clients see that exceed them. */
class QuotaTest {
    private static final String TOPIC = "orders";
    private static final String SLOW = "slow";
    private static final int VERSION = 11;
    private static final byte[] VALUE = new byte[5_000];

    @TempDir Path directory;

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static ClientQuotaEntity entity(String user, String clientId) {
        Map<String, String> names = new HashMap<>();
        if (user != null) {
            names.put(ClientQuotaEntity.USER, user.isEmpty() ? null : user);
        }
        if (clientId != null) {
            names.put(ClientQuotaEntity.CLIENT_ID, clientId.isEmpty() ? null : clientId);
        }
        return new ClientQuotaEntity(names);
    }

    private static void alter(Admin admin, ClientQuotaEntity entity, String key, Double value)
            throws Exception {
        alter(admin, List.of(new ClientQuotaAlteration(entity, List.of(new Op(key, value)))));
    }

    private static void alter(Admin admin, Collection<ClientQuotaAlteration> all) throws Exception {
        get(admin.alterClientQuotas(all).all());
    }

    private static Map<ClientQuotaEntity, Map<String, Double>> all(Admin admin) throws Exception {
        return get(admin.describeClientQuotas(ClientQuotaFilter.all()).entities());
    }

    @Test
    void shouldKeepQuotasThatAnAdministratorSetsAndTellOfThem() throws Exception {
        try (Logged log = new Logged("io.firn.audit");
                Running running = new Running(directory);
                Admin admin = running.admin()) {
            ClientQuotaEntity both = entity("alice", "app");
            alter(admin, both, "producer_byte_rate", 1_024.0);
            alter(admin, both, "consumer_byte_rate", 2_048.0);
            alter(admin, entity("", ""), "consumer_byte_rate", 7.0);
            alter(admin, entity(null, ""), "consumer_byte_rate", 9.0);
            alter(admin, entity(null, ""), "consumer_byte_rate", null);
            Map<ClientQuotaEntity, Map<String, Double>> expected =
                    Map.of(
                            both,
                            Map.of("producer_byte_rate", 1_024.0, "consumer_byte_rate", 2_048.0),
                            entity("", ""),
                            Map.of("consumer_byte_rate", 7.0));
            assertEquals(expected, all(admin));
            var onlyValid = new AlterClientQuotasOptions().validateOnly(true);
            var another =
                    new ClientQuotaAlteration(
                            entity("bob", null), List.of(new Op("consumer_byte_rate", 1.0)));
            get(admin.alterClientQuotas(List.of(another), onlyValid).all());
            running.restart();
            assertEquals(expected, all(admin));
            var ofAlice =
                    ClientQuotaFilter.contains(
                            List.of(ClientQuotaFilterComponent.ofEntity("user", "alice")));
            assertEquals(
                    Set.of(both), get(admin.describeClientQuotas(ofAlice).entities()).keySet());
            var onlyDefault =
                    ClientQuotaFilter.containsOnly(
                            List.of(ClientQuotaFilterComponent.ofDefaultEntity("user")));
            assertEquals(Map.of(), get(admin.describeClientQuotas(onlyDefault).entities()));
            String line =
                    "api=ALTER_CLIENT_QUOTAS resource=Quota:client-id:app,user:alice result=NONE";
            String turned = line.replace("client-id:app,user:alice", "user:alice,client-id:app");
            Running.await("the audit log", () -> log.has(line) || log.has(turned));
        }
    }

    @Test
    void shouldRefuseQuotasThatItDoesNotHaveAndThoseThatAreInvalid() throws Exception {
        try (Running running = new Running(directory);
                Admin admin = running.admin()) {
            assertRefused(admin, entity("alice", null), "request_percentage", 10.0);
            assertRefused(admin, entity("alice", null), "controller_mutation_rate", 10.0);
            assertRefused(admin, entity("alice", null), "producer_bite_rate", 10.0);
            assertRefused(admin, entity("alice", null), "producer_byte_rate", 0.0);
            assertRefused(admin, entity("alice", null), "producer_byte_rate", 1.5);
            assertRefused(admin, entity("alice", null), "producer_byte_rate", Double.NaN);
            assertRefused(
                    admin,
                    new ClientQuotaEntity(Map.of("ip", "127.0.0.1")),
                    "connection_creation_rate",
                    10.0);
            assertRefused(
                    admin,
                    new ClientQuotaEntity(Map.of("shoe", "127")),
                    "producer_byte_rate",
                    10.0);
            assertEquals(Map.of(), all(admin));
        }
    }

    private static void assertRefused(
            Admin admin, ClientQuotaEntity entity, String key, double value) {
        ExecutionException e =
                assertThrows(ExecutionException.class, () -> alter(admin, entity, key, value));
        assertInstanceOf(InvalidRequestException.class, e.getCause());
    }

    @Test
    void shouldDenyQuotasToThoseWithoutTheRight() throws Exception {
        Map<String, String> settings =
                Map.of(
                        "authorizer.class.name",
                        "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "super.users",
                        "User:admin");
        try (Running running = new Running(directory, settings);
                Admin admin = running.admin()) {
            ExecutionException altered =
                    assertThrows(
                            ExecutionException.class,
                            () -> alter(admin, entity("a", null), "producer_byte_rate", 1.0));
            assertInstanceOf(ClusterAuthorizationException.class, altered.getCause());
            ExecutionException described = assertThrows(ExecutionException.class, () -> all(admin));
            assertInstanceOf(ClusterAuthorizationException.class, described.getCause());
        }
    }

    // ---- clients that exceed a quota

    private static byte[] produce(String clientId) {
        MemoryRecords records =
                MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(VALUE));
        TopicProduceData topic = new TopicProduceData().setName(TOPIC);
        topic.partitionData().add(new PartitionProduceData().setIndex(0).setRecords(records));
        ProduceRequestData request = new ProduceRequestData().setAcks((short) 1).setTimeoutMs(1);
        request.topicData().add(topic);
        return Wire.request(ApiKeys.PRODUCE, (short) VERSION, request, clientId);
    }

    private static byte[] fetch(String clientId) {
        FetchTopic topic = new FetchTopic().setTopic(TOPIC);
        topic.partitions().add(new FetchPartition().setPartition(0).setPartitionMaxBytes(1 << 20));
        FetchRequestData request =
                new FetchRequestData().setMaxWaitMs(100).setMinBytes(1).setMaxBytes(1 << 20);
        request.topics().add(topic);
        return Wire.request(ApiKeys.FETCH, (short) VERSION, request, clientId);
    }

    private static int produceThrottleMs(Wire wire, String clientId) throws Exception {
        wire.send(produce(clientId));
        ProduceResponseData answer =
                wire.receive(ApiKeys.PRODUCE, VERSION, new ProduceResponseData());
        var result = answer.responses().iterator().next().partitionResponses().get(0);
        assertEquals(0, result.errorCode());
        return answer.throttleTimeMs();
    }

    private static FetchResponseData fetch(Wire wire, String clientId) throws Exception {
        wire.send(fetch(clientId));
        return wire.receive(ApiKeys.FETCH, VERSION, new FetchResponseData());
    }

    private static void limit(Running running, String key, double perSecond) throws Exception {
        running.createTopic(TOPIC, 1, Map.of());
        try (Admin admin = running.admin()) {
            alter(admin, entity(null, SLOW), key, perSecond);
        }
    }

    /** The quota is so small that the client is muted for longer than any test takes. */
    @Test
    void shouldMuteAProducerThatExceedsItsQuotaAndNoOther() throws Exception {
        try (Running running = new Running(directory)) {
            limit(running, "producer_byte_rate", 1);
            try (Wire slow = new Wire(running.server());
                    Wire other = new Wire(running.server())) {
                assertTrue(produceThrottleMs(slow, SLOW) > 1_000_000);
                slow.send(produce(SLOW));
                for (int i = 0; i < 20; i++) {
                    assertEquals(0, produceThrottleMs(other, "other"));
                }
                assertTrue(slow.isSilentFor(200));
                assertEquals(21, running.store().openTopic(TOPIC).partition(0).nextOffset());
            }
        }
    }

    @Test
    void shouldNoticeThatTheClientOfAMutedConnectionHasGone() throws Exception {
        try (Running running = new Running(directory)) {
            limit(running, "producer_byte_rate", 1);
            Running.await("no client", () -> running.server().metrics().getConnections() == 0);
            try (Wire slow = new Wire(running.server())) {
                assertTrue(produceThrottleMs(slow, SLOW) > 1_000_000);
                assertEquals(1, running.server().metrics().getConnections());
            }
            Running.await("no client", () -> running.server().metrics().getConnections() == 0);
        }
    }

    @Test
    void shouldGoOnWithAProducerWhenItsTimeIsUp() throws Exception {
        try (Running running = new Running(directory)) {
            limit(running, "producer_byte_rate", 500); // 5,000 at once, and the rest later
            try (Wire slow = new Wire(running.server())) {
                int ms = produceThrottleMs(slow, SLOW);
                assertTrue(ms > 0 && ms < 1_000, "muted for " + ms + " ms");
                slow.send(
                        Wire.request(
                                ApiKeys.API_VERSIONS, (short) 0, new ApiVersionsRequestData()));
                ByteBuffer answer = slow.receive();
                assertTrue(answer.remaining() > 4);
            }
        }
    }

    @Test
    void shouldTellAConsumerThatExceedsItsQuotaAndGiveItNothingMoreOnOtherConnections()
            throws Exception {
        try (Running running = new Running(directory)) {
            limit(running, "consumer_byte_rate", 1);
            try (Wire slow = new Wire(running.server());
                    Wire again = new Wire(running.server());
                    Wire other = new Wire(running.server())) {
                for (int i = 0; i < 3; i++) {
                    assertEquals(0, produceThrottleMs(other, SLOW));
                }
                FetchResponseData first = fetch(slow, SLOW);
                assertTrue(first.throttleTimeMs() > 0);
                int bytes = first.responses().get(0).partitions().get(0).records().sizeInBytes();
                assertTrue(bytes > VALUE.length && bytes < 2 * VALUE.length, bytes + " bytes");
                FetchResponseData second = fetch(again, SLOW);
                assertTrue(second.throttleTimeMs() > 0);
                assertEquals(0, second.responses().size());
                FetchResponseData free = fetch(other, "other");
                assertEquals(0, free.throttleTimeMs());
                assertEquals(
                        3 * bytes,
                        free.responses().get(0).partitions().get(0).records().sizeInBytes());
            }
        }
    }
}
