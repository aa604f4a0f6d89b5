package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Kafka's clients may do by ACLs, and what they are told when they may not. */
@FirstRunOnly
class AclTest {
    private static final String TOPIC = "orders";
    private static final String GROUP = "readers";
    private static final TopicPartition FIRST = new TopicPartition(TOPIC, 0);
    private static final String JAAS =
            "org.apache.kafka.common.security.plain.PlainLoginModule required"
                    + " user_admin=\"admins\" user_alice=\"alices\";";

    @TempDir Path directory;

    private Running start(Map<String, String> settings) throws Exception {
        Map<String, String> all = new HashMap<>();
        all.put("listeners", "SASL_PLAINTEXT://127.0.0.1:0");
        all.put("sasl.enabled.mechanisms", "PLAIN");
        all.put("listener.name.sasl_plaintext.plain.sasl.jaas.config", JAAS);
        all.put("super.users", "User:admin");
        all.putAll(settings);
        return new Running(directory, all);
    }

    private static Map<String, Object> client(Running running, String name) {
        Map<String, Object> all = running.client();
        all.put("security.protocol", "SASL_PLAINTEXT");
        all.put("sasl.mechanism", "PLAIN");
        all.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\""
                        + name
                        + "\" password=\""
                        + name
                        + "s\";");
        return all;
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static AclBinding alice(AclOperation operation, ResourceType type, String name) {
        return new AclBinding(
                new ResourcePattern(type, name, PatternType.LITERAL),
                new AccessControlEntry("User:alice", "*", operation, AclPermissionType.ALLOW));
    }

    private static AclBinding topic(AclOperation operation) {
        return alice(operation, ResourceType.TOPIC, TOPIC);
    }

    private static AclBinding group(AclOperation operation) {
        return alice(operation, ResourceType.GROUP, GROUP);
    }

    private static AclBinding cluster(AclOperation operation) {
        return alice(operation, ResourceType.CLUSTER, "kafka-cluster");
    }

    private static void prepare(Admin admin, Running running) throws Exception {
        get(admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all());
        produce(client(running, "admin"));
        get(admin.alterConsumerGroupOffsets(GROUP, Map.of(FIRST, new OffsetAndMetadata(1))).all());
    }

    private static void produce(Map<String, Object> client) throws Exception {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(client, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(TOPIC, "one")).get(60, TimeUnit.SECONDS);
        } catch (ExecutionException | KafkaException e) {
            throw refusalIn(e);
        }
    }

    /**
     * A refusal that a producer finds out about between two calls is the cause of what it throws.
     */
    private static Exception refusalIn(Exception thrown) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof AuthorizationException refusal) {
                return refusal;
            }
        }
        return thrown.getCause() instanceof RuntimeException cause ? cause : thrown;
    }

    // ---- each row

    /** Something that a client does, what it needs for it, and how it is refused without. */
    private record Row(
            String what, List<AclBinding> needs, Class<? extends Throwable> refusal, Call call) {}

    private interface Call {
        void run(Admin client) throws Exception;
    }

    private static Row row(
            String what, Class<? extends Throwable> refusal, Call call, AclBinding... needs) {
        return new Row(what, List.of(needs), refusal, call);
    }

    private static ConfigResource configOf(ConfigResource.Type type, String name) {
        return new ConfigResource(type, name);
    }

    private static Map<ConfigResource, Collection<AlterConfigOp>> newRetention() {
        return Map.of(
                configOf(ConfigResource.Type.TOPIC, TOPIC),
                List.of(
                        new AlterConfigOp(
                                new ConfigEntry("retention.ms", "1000000"),
                                AlterConfigOp.OpType.SET)));
    }

    private static List<Row> topicRows(Uuid id) {
        Class<TopicAuthorizationException> refused = TopicAuthorizationException.class;
        return List.of(
                row(
                        "describe",
                        refused,
                        c -> get(c.describeTopics(List.of(TOPIC)).allTopicNames()),
                        topic(AclOperation.DESCRIBE)),
                row(
                        "describe by id",
                        UnknownTopicIdException.class,
                        c ->
                                get(
                                        c.describeTopics(TopicCollection.ofTopicIds(List.of(id)))
                                                .allTopicIds()),
                        topic(AclOperation.WRITE)),
                row(
                        "list offsets",
                        refused,
                        c -> get(c.listOffsets(Map.of(FIRST, OffsetSpec.earliest())).all()),
                        topic(AclOperation.DESCRIBE)),
                row(
                        "describe configs",
                        refused,
                        c ->
                                get(
                                        c.describeConfigs(
                                                        List.of(
                                                                configOf(
                                                                        ConfigResource.Type.TOPIC,
                                                                        TOPIC)))
                                                .all()),
                        topic(AclOperation.ALTER_CONFIGS)),
                row(
                        "alter configs",
                        refused,
                        c -> get(c.incrementalAlterConfigs(newRetention()).all()),
                        topic(AclOperation.ALTER_CONFIGS)),
                row(
                        "add partitions",
                        refused,
                        c ->
                                get(
                                        c.createPartitions(
                                                        Map.of(TOPIC, NewPartitions.increaseTo(3)))
                                                .all()),
                        topic(AclOperation.ALTER)),
                row(
                        "delete records",
                        refused,
                        c ->
                                get(
                                        c.deleteRecords(
                                                        Map.of(
                                                                FIRST,
                                                                RecordsToDelete.beforeOffset(1)))
                                                .all()),
                        topic(AclOperation.DELETE),
                        topic(AclOperation.DESCRIBE)),
                row(
                        "create a topic",
                        refused,
                        c -> get(c.createTopics(List.of(new NewTopic("new", 1, (short) 1))).all()),
                        alice(AclOperation.CREATE, ResourceType.TOPIC, "new")),
                row(
                        "create any topic",
                        refused,
                        c -> get(c.createTopics(List.of(new NewTopic("any", 1, (short) 1))).all()),
                        cluster(AclOperation.CREATE)),
                row(
                        "delete a topic",
                        refused,
                        c -> get(c.deleteTopics(List.of("new")).all()),
                        alice(AclOperation.DELETE, ResourceType.TOPIC, "new")),
                row(
                        "delete any topic",
                        refused,
                        c -> get(c.deleteTopics(List.of("any")).all()),
                        cluster(AclOperation.DELETE)));
    }

    private static List<Row> groupRows() {
        Class<GroupAuthorizationException> refused = GroupAuthorizationException.class;
        return List.of(
                row(
                        "describe",
                        refused,
                        c -> get(c.describeConsumerGroups(List.of(GROUP)).all()),
                        group(AclOperation.DESCRIBE)),
                row(
                        "fetch offsets",
                        refused,
                        c -> get(c.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata()),
                        group(AclOperation.DESCRIBE)),
                row(
                        "commit",
                        refused,
                        c ->
                                get(
                                        c.alterConsumerGroupOffsets(
                                                        GROUP,
                                                        Map.of(FIRST, new OffsetAndMetadata(1)))
                                                .all()),
                        group(AclOperation.READ),
                        topic(AclOperation.READ)),
                row(
                        "delete offsets",
                        refused,
                        c -> get(c.deleteConsumerGroupOffsets(GROUP, Set.of(FIRST)).all()),
                        group(AclOperation.DELETE),
                        topic(AclOperation.READ)),
                row(
                        "delete",
                        refused,
                        c -> get(c.deleteConsumerGroups(List.of(GROUP)).all()),
                        group(AclOperation.DELETE)));
    }

    private static List<Row> clusterRows() {
        Class<ClusterAuthorizationException> refused = ClusterAuthorizationException.class;
        ConfigResource node = configOf(ConfigResource.Type.BROKER, "1");
        UserScramCredentialUpsertion mallory =
                new UserScramCredentialUpsertion(
                        "mallory",
                        new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4_096),
                        "secret");
        return List.of(
                row(
                        "describe the node's configs",
                        refused,
                        c -> get(c.describeConfigs(List.of(node)).all()),
                        cluster(AclOperation.DESCRIBE_CONFIGS)),
                row(
                        "describe log dirs",
                        refused,
                        c -> get(c.describeLogDirs(List.of(1)).allDescriptions()),
                        cluster(AclOperation.DESCRIBE)),
                row(
                        "describe users",
                        refused,
                        c -> get(c.describeUserScramCredentials().all()),
                        cluster(AclOperation.DESCRIBE)),
                row(
                        "alter users",
                        refused,
                        c -> get(c.alterUserScramCredentials(List.of(mallory)).all()),
                        cluster(AclOperation.ALTER)),
                row(
                        "describe ACLs",
                        refused,
                        c -> get(c.describeAcls(AclBindingFilter.ANY).values()),
                        cluster(AclOperation.DESCRIBE)),
                row(
                        "create ACLs",
                        refused,
                        c ->
                                get(
                                        c.createAcls(
                                                        List.of(
                                                                alice(
                                                                        AclOperation.READ,
                                                                        ResourceType.TOPIC,
                                                                        "x")))
                                                .all()),
                        cluster(AclOperation.ALTER)),
                row(
                        "delete ACLs",
                        refused,
                        c ->
                                get(
                                        c.deleteAcls(
                                                        List.of(
                                                                alice(
                                                                                AclOperation.READ,
                                                                                ResourceType.TOPIC,
                                                                                "x")
                                                                        .toFilter()))
                                                .all()),
                        cluster(AclOperation.ALTER)));
    }

    @Test
    void shouldRefuseAnAdministratorsRequestUnlessItsRightIsThere() throws Exception {
        try (Running running = start(Map.of());
                Admin admin = Admin.create(client(running, "admin"));
                Admin alice = Admin.create(client(running, "alice"))) {
            prepare(admin, running);
            Uuid id =
                    get(admin.describeTopics(List.of(TOPIC)).allTopicNames()).get(TOPIC).topicId();
            check(topicRows(id), admin, alice);
            check(groupRows(), admin, alice);
            check(clusterRows(), admin, alice);
        }
    }

    private static void check(List<Row> rows, Admin admin, Admin alice) throws Exception {
        for (Row row : rows) {
            Throwable refusal =
                    assertThrows(ExecutionException.class, () -> row.call.run(alice), row.what)
                            .getCause();
            if (refusal.getClass() != row.refusal) {
                throw new AssertionError(row.what + " was refused otherwise", refusal);
            }
            get(admin.createAcls(row.needs).all());
            row.call.run(alice);
            for (AclBinding each : row.needs) {
                get(admin.deleteAcls(List.of(each.toFilter())).all());
            }
        }
    }

    @Test
    void shouldHideTopicsAndGroupsFromWhoMayNotDescribeThem() throws Exception {
        try (Running running = start(Map.of());
                Admin admin = Admin.create(client(running, "admin"));
                Admin alice = Admin.create(client(running, "alice"))) {
            prepare(admin, running);
            assertEquals(Set.of(), get(alice.listTopics().names()));
            assertEquals(0, get(alice.listGroups().all()).size());
            Throwable absent =
                    assertThrows(
                                    ExecutionException.class,
                                    () -> get(alice.describeTopics(List.of("no")).allTopicNames()))
                            .getCause();
            assertEquals(TopicAuthorizationException.class, absent.getClass());
            get(
                    admin.createAcls(List.of(topic(AclOperation.READ), group(AclOperation.READ)))
                            .all());
            assertEquals(Set.of(TOPIC), get(alice.listTopics().names()));
            assertEquals(1, get(alice.listGroups().all()).size());
            // The offsets of a topic that it may not describe are left out.
            get(admin.deleteAcls(List.of(topic(AclOperation.READ).toFilter())).all());
            assertEquals(
                    Map.of(),
                    get(alice.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata()));
        }
    }

    /** The answer is then made in steps. */
    @Test
    void shouldHideTopicsAlsoWhereThereAreManyPartitions() throws Exception {
        try (Running running = start(Map.of());
                Admin admin = Admin.create(client(running, "admin"));
                Admin alice = Admin.create(client(running, "alice"))) {
            prepare(admin, running);
            get(admin.createTopics(List.of(new NewTopic("large", 501, (short) 1))).all());
            assertEquals(Set.of(TOPIC, "large"), get(admin.listTopics().names()));
            assertEquals(Set.of(), get(alice.listTopics().names()));
            get(admin.createAcls(List.of(topic(AclOperation.DESCRIBE))).all());
            assertEquals(Set.of(TOPIC), get(alice.listTopics().names()));
        }
    }

    @Test
    void shouldHideTheTopicsOfATransactionFromWhoMayNotDescribeThem() throws Exception {
        try (Running running = start(Map.of());
                Admin admin = Admin.create(client(running, "admin"));
                Admin alice = Admin.create(client(running, "alice"))) {
            prepare(admin, running);
            Map<String, Object> settings = client(running, "admin");
            settings.put("transactional.id", "payments");
            try (KafkaProducer<String, String> producer =
                    new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
                producer.initTransactions();
                producer.beginTransaction();
                producer.send(new ProducerRecord<>(TOPIC, 0, null, "paid")).get();
                assertEquals(Set.of(FIRST), partitionsOf("payments", admin));
                get(
                        admin.createAcls(
                                        List.of(
                                                alice(
                                                        AclOperation.DESCRIBE,
                                                        ResourceType.TRANSACTIONAL_ID,
                                                        "payments")))
                                .all());
                assertEquals(Set.of(), partitionsOf("payments", alice));
                get(admin.createAcls(List.of(topic(AclOperation.DESCRIBE))).all());
                assertEquals(Set.of(FIRST), partitionsOf("payments", alice));
                producer.abortTransaction();
            }
        }
    }

    private static Set<TopicPartition> partitionsOf(String transaction, Admin client)
            throws Exception {
        return get(client.describeTransactions(List.of(transaction)).description(transaction))
                .topicPartitions();
    }

    private record Shown(
            Set<AclOperation> topic, Set<AclOperation> group, Set<AclOperation> cluster) {
        static Shown to(Admin client) throws Exception {
            var topics = new DescribeTopicsOptions().includeAuthorizedOperations(true);
            var groups = new DescribeConsumerGroupsOptions().includeAuthorizedOperations(true);
            var cluster = new DescribeClusterOptions().includeAuthorizedOperations(true);
            var byName = client.describeTopics(List.of(TOPIC), topics).allTopicNames();
            Uuid id = get(byName).get(TOPIC).topicId();
            var byId = client.describeTopics(TopicCollection.ofTopicIds(List.of(id)), topics);
            Set<AclOperation> ofTopic = get(byName).get(TOPIC).authorizedOperations();
            assertEquals(ofTopic, get(byId.allTopicIds()).get(id).authorizedOperations());
            var described = client.describeConsumerGroups(List.of(GROUP), groups).all();
            return new Shown(
                    ofTopic,
                    get(described).get(GROUP).authorizedOperations(),
                    get(client.describeCluster(cluster).authorizedOperations()));
        }
    }

    @Test
    void shouldTellAClientWhatItMayDoIfItAsks() throws Exception {
        try (Running running = start(Map.of());
                Admin admin = Admin.create(client(running, "admin"));
                Admin alice = Admin.create(client(running, "alice"))) {
            prepare(admin, running);
            Shown all = Shown.to(admin);
            assertEquals(8, all.topic.size(), all.toString());
            assertEquals(5, all.group.size(), all.toString());
            assertEquals(7, all.cluster.size(), all.toString());
            get(
                    admin.createAcls(
                                    List.of(
                                            topic(AclOperation.READ),
                                            topic(AclOperation.ALTER),
                                            group(AclOperation.DELETE),
                                            cluster(AclOperation.ALTER)))
                            .all());
            Set<AclOperation> topic =
                    Set.of(AclOperation.READ, AclOperation.ALTER, AclOperation.DESCRIBE);
            Set<AclOperation> group = Set.of(AclOperation.DELETE, AclOperation.DESCRIBE);
            Set<AclOperation> cluster = Set.of(AclOperation.ALTER, AclOperation.DESCRIBE);
            assertEquals(new Shown(topic, group, cluster), Shown.to(alice));
            // The cluster's are hidden from who may not describe it.
            get(admin.deleteAcls(List.of(cluster(AclOperation.ALTER).toFilter())).all());
            get(admin.createAcls(List.of(cluster(AclOperation.CREATE))).all());
            assertEquals(new Shown(topic, group, Set.of()), Shown.to(alice));
        }
    }

    // ---- records

    private static String read(Map<String, Object> client) {
        Map<String, Object> member = new HashMap<>(client);
        member.put("group.id", GROUP);
        member.put("auto.offset.reset", "earliest");
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(member, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            return Running.readSome(consumer).get(0).value();
        }
    }

    @Test
    void shouldLetClientsProduceAndConsumeOnlyWhatTheyMay() throws Exception {
        try (Running running = start(Map.of());
                Admin admin = Admin.create(client(running, "admin"))) {
            get(admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all());
            Map<String, Object> alice = client(running, "alice");
            assertThrows(AuthorizationException.class, () -> produce(alice));
            get(admin.createAcls(List.of(topic(AclOperation.DESCRIBE))).all());
            Map<String, Object> simple = new HashMap<>(alice);
            simple.put("enable.idempotence", "false");
            assertThrows(TopicAuthorizationException.class, () -> produce(simple));
            assertThrows(ClusterAuthorizationException.class, () -> produce(alice));
            get(admin.createAcls(List.of(topic(AclOperation.WRITE))).all());
            produce(alice);
            assertThrows(GroupAuthorizationException.class, () -> read(alice));
            get(admin.createAcls(List.of(group(AclOperation.READ))).all());
            assertThrows(TopicAuthorizationException.class, () -> read(alice));
            get(admin.createAcls(List.of(topic(AclOperation.READ))).all());
            assertEquals("one", read(alice));
        }
    }

    @Test
    void shouldCreateATopicByItsUseOnlyForWhoMayCreateIt() throws Exception {
        try (Running running = start(Map.of());
                Admin admin = Admin.create(client(running, "admin"))) {
            get(admin.createAcls(List.of(topic(AclOperation.WRITE))).all());
            assertThrows(
                    TopicAuthorizationException.class, () -> produce(client(running, "alice")));
            assertEquals(Set.of(), get(admin.listTopics().names()));
            get(admin.createAcls(List.of(topic(AclOperation.CREATE))).all());
            produce(client(running, "alice"));
            assertEquals(Set.of(TOPIC), get(admin.listTopics().names()));
        }
    }

    // ---- the wire

    private static Wire signedIn(Running running, String name) throws IOException {
        Wire wire = new Wire(running.server());
        wire.ask(
                ApiKeys.SASL_HANDSHAKE,
                1,
                new SaslHandshakeRequestData().setMechanism("PLAIN"),
                new SaslHandshakeResponseData());
        byte[] said = ("\0" + name + "\0" + name + "s").getBytes(StandardCharsets.UTF_8);
        assertEquals(
                0,
                wire.ask(
                                ApiKeys.SASL_AUTHENTICATE,
                                2,
                                new SaslAuthenticateRequestData().setAuthBytes(said),
                                new SaslAuthenticateResponseData())
                        .errorCode());
        return wire;
    }

    private static FetchRequestData fetch(long from, int maxWaitMs) {
        FetchPartition partition =
                new FetchPartition()
                        .setPartition(0)
                        .setFetchOffset(from)
                        .setPartitionMaxBytes(1 << 20);
        return new FetchRequestData()
                .setMaxWaitMs(maxWaitMs)
                .setMinBytes(1)
                .setMaxBytes(1 << 20)
                .setTopics(
                        List.of(
                                new FetchTopic()
                                        .setTopic(TOPIC)
                                        .setPartitions(List.of(partition))));
    }

    private static void assertRefused(FetchResponseData response) {
        var partition = response.responses().get(0).partitions().get(0);
        assertEquals(Errors.TOPIC_AUTHORIZATION_FAILED.code(), partition.errorCode());
        assertEquals(-1, partition.highWatermark());
        assertEquals(0, partition.records() == null ? 0 : partition.records().sizeInBytes());
    }

    /** Has a fetch wait, takes its right away, and does something else. */
    private void takeAwayWhileItWaits(int maxWaitMs, boolean appends) throws Exception {
        try (Running running = start(Map.of("num.network.threads", "1"));
                Admin admin = Admin.create(client(running, "admin"));
                Wire wire = signedIn(running, "alice")) {
            prepare(admin, running);
            get(admin.createAcls(List.of(topic(AclOperation.READ))).all());
            wire.send(Wire.request(ApiKeys.FETCH, (short) 12, fetch(1, maxWaitMs)));
            Running.await(
                    "it to be read",
                    () ->
                            running.server()
                                    .metrics()
                                    .getRequestsByApi()
                                    .containsKey(ApiKeys.FETCH.name));
            // Handled after it, by the only thread.
            get(admin.deleteAcls(List.of(topic(AclOperation.READ).toFilter())).all());
            if (appends) {
                produce(client(running, "admin"));
            }
            assertRefused(wire.receive(ApiKeys.FETCH, 12, new FetchResponseData()));
        }
    }

    @Test
    void shouldSendNothingToAFetchThatWaitedWhenItsRightHasGone() throws Exception {
        takeAwayWhileItWaits(600_000, true);
    }

    @Test
    void shouldRefuseAFetchWhoseTimeIsUpWhenItsRightHasGone() throws Exception {
        takeAwayWhileItWaits(1_500, false);
    }

    @Test
    void shouldRefuseAReplicaIdWithoutTheRightOfABroker() throws Exception {
        try (Running running = start(Map.of());
                Admin admin = Admin.create(client(running, "admin"));
                Wire wire = signedIn(running, "alice")) {
            prepare(admin, running);
            get(admin.createAcls(List.of(topic(AclOperation.READ))).all());
            FetchRequestData asReplica = fetch(0, 0).setReplicaId(2);
            ListOffsetsRequestData offsets =
                    new ListOffsetsRequestData()
                            .setReplicaId(2)
                            .setTopics(
                                    List.of(
                                            new ListOffsetsTopic()
                                                    .setName(TOPIC)
                                                    .setPartitions(
                                                            List.of(
                                                                    new ListOffsetsPartition()
                                                                            .setTimestamp(-1)))));
            assertRefused(wire.ask(ApiKeys.FETCH, 12, asReplica, new FetchResponseData()));
            assertEquals(Errors.TOPIC_AUTHORIZATION_FAILED.code(), errorOf(wire, offsets));
            get(admin.createAcls(List.of(cluster(AclOperation.CLUSTER_ACTION))).all());
            FetchResponseData allowed =
                    wire.ask(ApiKeys.FETCH, 12, asReplica, new FetchResponseData());
            assertTrue(allowed.responses().get(0).partitions().get(0).records().sizeInBytes() > 0);
            assertEquals(0, errorOf(wire, offsets));
        }
    }

    private static short errorOf(Wire wire, ListOffsetsRequestData asked) throws IOException {
        return wire.ask(ApiKeys.LIST_OFFSETS, 7, asked, new ListOffsetsResponseData())
                .topics()
                .get(0)
                .partitions()
                .get(0)
                .errorCode();
    }

    // ---- ACLs

    @Test
    void shouldKeepAclsAndDeleteThoseThatAFilterFinds() throws Exception {
        AclBinding odd =
                new AclBinding(
                        new ResourcePattern(
                                ResourceType.GROUP, "a = b\n%20 ü", PatternType.PREFIXED),
                        new AccessControlEntry(
                                "User:CN=x, O=y z",
                                "::1",
                                AclOperation.ALL,
                                AclPermissionType.DENY));
        Set<AclBinding> all = Set.of(odd, topic(AclOperation.READ), cluster(AclOperation.ALTER));
        try (Running running = start(Map.of())) {
            try (Admin admin = Admin.create(client(running, "admin"))) {
                get(admin.createAcls(all).all());
            }
            running.stop();
            running.start(0);
            try (Admin admin = Admin.create(client(running, "admin"))) {
                assertEquals(
                        all, new HashSet<>(get(admin.describeAcls(AclBindingFilter.ANY).values())));
                assertEquals(
                        List.of(odd),
                        List.copyOf(get(admin.deleteAcls(List.of(odd.toFilter())).all())));
                assertEquals(2, get(admin.describeAcls(AclBindingFilter.ANY).values()).size());
                AclBinding invalid = alice(AclOperation.READ, ResourceType.CLUSTER, "other");
                var results = admin.createAcls(List.of(invalid, odd)).values();
                assertEquals(
                        InvalidRequestException.class,
                        assertThrows(ExecutionException.class, () -> get(results.get(invalid)))
                                .getCause()
                                .getClass());
                assertNull(get(results.get(odd)));
                assertEquals(3, get(admin.describeAcls(AclBindingFilter.ANY).values()).size());
            }
        }
    }

    /** To find them all takes minutes; nothing is changed before. */
    @Test
    void shouldDeleteNoAclForAClientThatHasGoneBeforeAllWereFound() throws Exception {
        Map<String, String> settings =
                Map.of(
                        "authorizer.class.name",
                        "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "super.users",
                        "User:ANONYMOUS");
        try (Running running = new Running(directory, settings);
                Logged log = new Logged("io.firn.audit");
                Admin admin = running.admin()) {
            try (Wire wire = new Wire(running.server())) {
                wire.send(LongRequests.createAcls());
                wire.receive();
                wire.send(LongRequests.deleteAcls("User:u1"));
            }
            Running.await(
                    "the end of the request",
                    () -> log.has("api=DELETE_ACLS resource=- result=UNKNOWN_SERVER_ERROR"));
            assertEquals(
                    LongRequests.MOST_ACLS,
                    get(admin.describeAcls(AclBindingFilter.ANY).values()).size());
        }
    }

    @Test
    void shouldLetEverybodyInWhereThereIsNoAclWhenItIsSoConfigured() throws Exception {
        try (Running running = start(Map.of("allow.everyone.if.no.acl.found", "true"));
                Admin admin = Admin.create(client(running, "admin"))) {
            produce(client(running, "alice"));
            get(
                    admin.createAcls(
                                    List.of(
                                            new AclBinding(
                                                    new ResourcePattern(
                                                            ResourceType.TOPIC,
                                                            "ord",
                                                            PatternType.PREFIXED),
                                                    new AccessControlEntry(
                                                            "User:bob",
                                                            "*",
                                                            AclOperation.WRITE,
                                                            AclPermissionType.ALLOW))))
                            .all());
            assertThrows(
                    TopicAuthorizationException.class, () -> produce(client(running, "alice")));
        }
    }

    // ---- an application's own

    @Test
    void shouldAskTheAuthorizerOfTheApplicationForEachTopic() throws Exception {
        ConcurrentLinkedQueue<Authorizer.Action> asked = new ConcurrentLinkedQueue<>();
        try (LogStore store =
                        LogStore.at(directory.resolve("own"))
                                .tier(FileTier.at(directory.resolve("own-tier")))
                                .open();
                FirnServer server =
                        FirnServer.of(store)
                                .port(0)
                                .authorizer(
                                        action -> {
                                            asked.add(action);
                                            if (action.name().equals("broken")) {
                                                throw new IllegalStateException("no answer");
                                            }
                                            return !action.name().equals("secret");
                                        })
                                .start();
                Admin admin =
                        Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
            get(admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all());
            for (String each : List.of("secret", "broken")) {
                NewTopic refused = new NewTopic(each, 1, (short) 1);
                var created = admin.createTopics(List.of(refused)).values().get(each);
                // Creating is allowed on the cluster; describing it is not.
                get(created);
            }
            assertEquals(Set.of(TOPIC), get(admin.listTopics().names()));
            assertTrue(
                    asked.contains(
                            Authorizer.Action.of(
                                    "User:ANONYMOUS",
                                    "127.0.0.1",
                                    Authorizer.Operation.DESCRIBE,
                                    Authorizer.Resource.TOPIC,
                                    TOPIC)));
        }
    }
}
