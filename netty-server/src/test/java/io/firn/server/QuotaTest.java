package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
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
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
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
@FirstRunOnly
class QuotaTest {
    private static final String TOPIC = "orders";
    private static final String SLOW = "slow";
    private static final int VERSION = 11;
    private static final byte[] VALUE = new byte[5_000];

    @TempDir Path directory;

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
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
            alter(admin, both, "request_percentage", 12.5);
            alter(admin, entity("", ""), "consumer_byte_rate", 7.0);
            alter(admin, entity(null, ""), "consumer_byte_rate", 9.0);
            alter(admin, entity(null, ""), "consumer_byte_rate", null);
            Map<ClientQuotaEntity, Map<String, Double>> expected =
                    Map.of(
                            both,
                            Map.of(
                                    "producer_byte_rate",
                                    1_024.0,
                                    "consumer_byte_rate",
                                    2_048.0,
                                    "request_percentage",
                                    12.5),
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
            assertRefused(admin, entity("alice", null), "request_percentage", 0.0);
            assertRefused(admin, entity("alice", null), "request_percentage", Double.NaN);
            assertRefused(admin, ip("127.0.0.1"), "request_percentage", 10.0);
            assertRefused(admin, entity("alice", null), "controller_mutation_rate", 0.0);
            assertRefused(admin, entity("alice", null), "controller_mutation_rate", Double.NaN);
            assertRefused(admin, entity("alice", null), "connection_creation_rate", 10.0);
            assertRefused(admin, entity("alice", null), "producer_bite_rate", 10.0);
            assertRefused(admin, entity("alice", null), "producer_byte_rate", 0.0);
            assertRefused(admin, entity("alice", null), "producer_byte_rate", 1.5);
            assertRefused(admin, entity("alice", null), "producer_byte_rate", Double.NaN);
            for (String wrong : List.of("localhost", "127.0.0", "1.2.3.4.5", "::g", "")) {
                assertRefused(admin, ip(wrong), "connection_creation_rate", 10.0);
            }
            assertRefused(admin, ip("127.0.0.1"), "producer_byte_rate", 10.0);
            assertRefused(admin, ip("127.0.0.1"), "connection_creation_rate", 1.5);
            assertRefused(admin, ip("127.0.0.1"), "connection_creation_rate", 3e9);
            assertRefused(
                    admin,
                    new ClientQuotaEntity(Map.of("ip", "127.0.0.1", "user", "alice")),
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

    private static ClientQuotaEntity ip(String address) {
        Map<String, String> name = new HashMap<>();
        name.put(ClientQuotaEntity.IP, address);
        return new ClientQuotaEntity(name);
    }

    @Test
    void shouldKeepQuotasOfAddressesHoweverTheyAreWritten() throws Exception {
        try (Running running = new Running(directory);
                Admin admin = running.admin()) {
            alter(admin, ip("2001:DB8::1"), "connection_creation_rate", 7.0);
            alter(admin, ip(null), "connection_creation_rate", 9_000.0);
            alter(admin, entity("alice", null), "controller_mutation_rate", 0.25);
            running.restart();
            ClientQuotaEntity written = ip("2001:db8:0:0:0:0:0:1");
            Map<ClientQuotaEntity, Map<String, Double>> expected =
                    Map.of(
                            written,
                            Map.of("connection_creation_rate", 7.0),
                            ip(null),
                            Map.of("connection_creation_rate", 9_000.0),
                            entity("alice", null),
                            Map.of("controller_mutation_rate", 0.25));
            assertEquals(expected, all(admin));
            var asked =
                    ClientQuotaFilter.containsOnly(
                            List.of(ClientQuotaFilterComponent.ofEntity("ip", "2001:db8::0:1")));
            assertEquals(
                    Set.of(written), get(admin.describeClientQuotas(asked).entities()).keySet());
            alter(admin, ip("2001:db8::1"), "connection_creation_rate", null);
            assertEquals(2, all(admin).size());
        }
    }

    /** There is so little to spend that it is not back before the test has ended. */
    private static final double HARDLY_ANY = 1e-6;

    private static <A extends ApiMessage> A ask(
            Running running, ApiKeys key, int version, ApiMessage request, A answer)
            throws Exception {
        try (Wire wire = new Wire(running.server())) { // one that is muted answers no more
            return wire.ask(key, version, request, answer);
        }
    }

    private static CreateTopicsRequestData creation(String... names) {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(60_000);
        for (String each : names) {
            request.topics()
                    .add(
                            new CreatableTopic()
                                    .setName(each)
                                    .setNumPartitions(1)
                                    .setReplicationFactor((short) 1));
        }
        return request;
    }

    private static void limitChanges(Running running) throws Exception {
        try (Admin admin = running.admin()) {
            alter(admin, entity("", null), "controller_mutation_rate", HARDLY_ANY);
        }
    }

    private static List<Short> errors(CreateTopicsResponseData answer) {
        return answer.topics().stream().map(each -> each.errorCode()).toList();
    }

    @Test
    void shouldRefuseChangesOverTheQuotaToClientsThatKnowOfItAndMuteTheOthers() throws Exception {
        short exceeded = Errors.THROTTLING_QUOTA_EXCEEDED.code();
        try (Running running = new Running(directory)) {
            running.createTopic("z", 1, Map.of());
            limitChanges(running);
            var onlyValid = creation("a").setValidateOnly(true);
            for (int i = 0; i < 2; i++) {
                var valid =
                        ask(
                                running,
                                ApiKeys.CREATE_TOPICS,
                                7,
                                onlyValid,
                                new CreateTopicsResponseData());
                assertEquals(0, valid.throttleTimeMs());
            }
            var answer =
                    ask(
                            running,
                            ApiKeys.CREATE_TOPICS,
                            6,
                            creation("a", "b"),
                            new CreateTopicsResponseData());
            assertEquals(List.of((short) 0, exceeded), errors(answer));
            assertTrue(answer.throttleTimeMs() > 0);
            assertEquals(Set.of("a", "z"), Set.copyOf(running.store().topicNames()));
            DeleteTopicsRequestData deletion = new DeleteTopicsRequestData();
            deletion.setTopicNames(List.of("z"));
            var deleted =
                    ask(
                            running,
                            ApiKeys.DELETE_TOPICS,
                            5,
                            deletion,
                            new DeleteTopicsResponseData());
            assertEquals(exceeded, deleted.responses().find("z").errorCode());
            assertTrue(deleted.throttleTimeMs() > 0);
            CreatePartitionsRequestData more = new CreatePartitionsRequestData();
            more.topics()
                    .add(new CreatePartitionsTopic().setName("z").setCount(3).setAssignments(null));
            var added =
                    ask(
                            running,
                            ApiKeys.CREATE_PARTITIONS,
                            3,
                            more,
                            new CreatePartitionsResponseData());
            assertEquals(exceeded, added.results().get(0).errorCode());
            assertTrue(added.throttleTimeMs() > 0);

            added =
                    ask(
                            running,
                            ApiKeys.CREATE_PARTITIONS,
                            2,
                            more,
                            new CreatePartitionsResponseData());
            assertEquals(0, added.results().get(0).errorCode());
            int before = added.throttleTimeMs();
            assertTrue(before > 0);
            answer =
                    ask(
                            running,
                            ApiKeys.CREATE_TOPICS,
                            5,
                            creation("b"),
                            new CreateTopicsResponseData());
            assertEquals(List.of((short) 0), errors(answer));
            assertTrue(answer.throttleTimeMs() >= before);
            deleted =
                    ask(
                            running,
                            ApiKeys.DELETE_TOPICS,
                            4,
                            deletion,
                            new DeleteTopicsResponseData());
            assertEquals(0, deleted.responses().find("z").errorCode());
            assertEquals(Set.of("a", "b"), Set.copyOf(running.store().topicNames()));
        }
    }

    @Test
    void shouldCreateNoTopicForMetadataOverTheQuota() throws Exception {
        try (Running running = new Running(directory)) {
            limitChanges(running);
            MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(true);
            for (String each : List.of("a", "b")) {
                request.topics().add(new MetadataRequestTopic().setName(each));
            }
            var answer = ask(running, ApiKeys.METADATA, 9, request, new MetadataResponseData());
            assertEquals(Errors.NONE.code(), answer.topics().find("a").errorCode());
            assertEquals(
                    Errors.UNKNOWN_TOPIC_OR_PARTITION.code(),
                    answer.topics().find("b").errorCode());
            assertTrue(answer.throttleTimeMs() > 0);
            assertEquals(List.of("a"), running.store().topicNames());
        }
    }

    /** Whoever sends something before another asks twice would be answered before that ends. */
    private static final Map<String, String> ONE_EVENT_LOOP = Map.of("num.network.threads", "1");

    private static byte[] versions() {
        return Wire.request(ApiKeys.API_VERSIONS, (short) 0, new ApiVersionsRequestData());
    }

    @Test
    void shouldMuteWhoChangesTooMuchAndNobodyElse() throws Exception {
        try (Running running = new Running(directory, ONE_EVENT_LOOP)) {
            limitChanges(running);
            try (Wire muted = new Wire(running.server());
                    Wire other = new Wire(running.server())) {
                muted.ask(ApiKeys.CREATE_TOPICS, 5, creation("a"), new CreateTopicsResponseData());
                muted.send(versions());
                other.askTwice();
                assertEquals(0, muted.available());
            }
        }
    }

    /** By a clock that stands still: however slow the machine is, they come at the same time. */
    @Test
    void shouldAnswerConnectionsThatWereDelayedAndCloseThoseThatAreFarTooMany() throws Exception {
        Map<String, String> settings = new HashMap<>(ONE_EVENT_LOOP);
        settings.put("quota.window.num", "2");
        settings.put("quota.window.size.seconds", "10");
        String address = "127.0.0.2";
        List<Wire> wires = new ArrayList<>();
        try (Running running =
                        new Running(
                                directory,
                                settings,
                                Running::files,
                                server -> server.quotaClock(() -> 0));
                Wire other = new Wire(running.server())) {
            try (Admin admin = running.admin()) {
                alter(admin, ip(address), "connection_creation_rate", 1.0);
            }
            try {
                for (int i = 0; i <= 30; i++) {
                    wires.add(new Wire(address, running.server().port()));
                }
                assertFalse(isAnswered(wires.get(30)), "would have to wait for 21 s");
                Wire last = wires.get(29); // has to wait for 20 s
                last.send(versions());
                other.askTwice();
                assertEquals(0, last.available());
                assertTrue(isAnswered(wires.get(9)), "the last of ten that need not wait");
                assertTrue(isAnswered(wires.get(10)), "has to wait for 1 s");
            } finally {
                for (Wire each : wires) {
                    each.close();
                }
            }
        }
    }

    /** Returns false if the connection has been closed. */
    private static boolean isAnswered(Wire wire) throws SocketTimeoutException {
        try {
            wire.ask(
                    ApiKeys.API_VERSIONS,
                    0,
                    new ApiVersionsRequestData(),
                    new ApiVersionsResponseData());
            return true;
        } catch (SocketTimeoutException e) {
            throw e; // neither
        } catch (IOException e) {
            return false;
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
        return produce(clientId, -1); // visible when it is answered
    }

    private static byte[] produce(String clientId, int acks) {
        MemoryRecords records =
                MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(VALUE));
        TopicProduceData topic = new TopicProduceData().setName(TOPIC);
        topic.partitionData().add(new PartitionProduceData().setIndex(0).setRecords(records));
        ProduceRequestData request = new ProduceRequestData().setAcks((short) acks).setTimeoutMs(1);
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
        try (Running running = new Running(directory, ONE_EVENT_LOOP)) {
            limit(running, "producer_byte_rate", 1);
            try (Wire slow = new Wire(running.server());
                    Wire other = new Wire(running.server())) {
                assertTrue(produceThrottleMs(slow, SLOW) > 1_000_000);
                slow.send(produce(SLOW));
                for (int i = 0; i < 20; i++) {
                    assertEquals(0, produceThrottleMs(other, "other"));
                }
                assertTrue(slow.isSilentFor(1)); // it was sent before those that are answered
                assertEquals(21, running.store().openTopic(TOPIC).partition(0).nextOffset());
            }
        }
    }

    private static MetadataResponseData metadata(Wire wire, String clientId) throws Exception {
        MetadataRequestData request = new MetadataRequestData().setTopics(List.of());
        wire.send(Wire.request(ApiKeys.METADATA, (short) 9, request, clientId));
        return wire.receive(ApiKeys.METADATA, 9, new MetadataResponseData());
    }

    /** Any request takes more than this quota allows. */
    @Test
    void shouldMuteAClientWhoseRequestsTakeTooMuchTimeForASampleAtMostAndNoOther()
            throws Exception {
        Map<String, String> settings = new HashMap<>(ONE_EVENT_LOOP);
        settings.put("quota.window.size.seconds", "60");
        try (Running running = new Running(directory, settings)) {
            limit(running, "request_percentage", 1e-9);
            try (Wire slow = new Wire(running.server());
                    Wire other = new Wire(running.server())) {
                assertEquals(60_000, metadata(slow, SLOW).throttleTimeMs());
                slow.send(versions());
                other.askTwice();
                assertTrue(slow.isSilentFor(1));
                assertEquals(0, metadata(other, "other").throttleTimeMs());
            }
            try (Wire slow = new Wire(running.server())) {
                assertEquals(60_000, produceThrottleMs(slow, SLOW));
            }
            try (Wire slow = new Wire(running.server())) {
                FetchResponseData fetched = fetch(slow, SLOW);
                assertEquals(60_000, fetched.throttleTimeMs());
                assertEquals(1, fetched.responses().size());
            }
            try (Wire slow = new Wire(running.server())) {
                ListGroupsRequestData request = new ListGroupsRequestData();
                slow.send(Wire.request(ApiKeys.LIST_GROUPS, (short) 1, request, SLOW));
                var groups = slow.receive(ApiKeys.LIST_GROUPS, 1, new ListGroupsResponseData());
                assertEquals(60_000, groups.throttleTimeMs());
            }
        }
    }

    /** As in Kafka: who does not want an answer is told nothing, and cannot be told to wait. */
    @Test
    void shouldNotCountRequestsOfProducersThatWantNoAnswer() throws Exception {
        try (Running running = new Running(directory)) {
            limit(running, "request_percentage", 1e-9);
            try (Wire slow = new Wire(running.server())) {
                for (int i = 0; i < 3; i++) {
                    slow.send(produce(SLOW, 0));
                }
                var partition = running.store().openTopic(TOPIC).partition(0);
                Running.await("three records", () -> partition.nextOffset() == 3);
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
