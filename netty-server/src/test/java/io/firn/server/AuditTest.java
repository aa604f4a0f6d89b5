package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.FirstRunOnly;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the audit log says of Kafka's clients. */
@FirstRunOnly
class AuditTest {
    private static final String ANONYMOUS =
            "change principal=User:ANONYMOUS address=127.0.0.1 listener=PLAINTEXT api=";

    @TempDir Path directory;

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private static void assertHas(Logged log, String line) {
        Running.await(line, () -> log.has(line));
    }

    @Test
    void shouldTellOfAdministrativeChangesAndTheirResults() throws Exception {
        try (Logged log = new Logged("io.firn.audit");
                Running running = new Running(directory);
                Admin admin = running.admin()) {
            NewTopic topic = new NewTopic("orders", 1, (short) 1);
            var onlyValid = new CreateTopicsOptions().validateOnly(true);
            get(admin.createTopics(List.of(topic), onlyValid).all());
            get(admin.listTopics().names());
            assertFalse(log.has("change"));
            get(admin.createTopics(List.of(topic)).all());
            assertHas(log, ANONYMOUS + "CREATE_TOPICS resource=Topic:orders result=NONE");
            assertThrows(
                    ExecutionException.class, () -> get(admin.createTopics(List.of(topic)).all()));
            assertHas(
                    log,
                    ANONYMOUS + "CREATE_TOPICS resource=Topic:orders result=TOPIC_ALREADY_EXISTS");
            get(admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(2))).all());
            assertHas(log, ANONYMOUS + "CREATE_PARTITIONS resource=Topic:orders result=NONE");
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, "orders");
            AlterConfigOp longer =
                    new AlterConfigOp(
                            new ConfigEntry("retention.ms", "7000"), AlterConfigOp.OpType.SET);
            get(admin.incrementalAlterConfigs(Map.of(resource, List.of(longer))).all());
            assertHas(
                    log, ANONYMOUS + "INCREMENTAL_ALTER_CONFIGS resource=TOPIC:orders result=NONE");
            get(admin.alterUserScramCredentials(List.of(user())).all());
            assertHas(
                    log,
                    ANONYMOUS + "ALTER_USER_SCRAM_CREDENTIALS resource=User:alice result=NONE");
        }
    }

    @Test
    void shouldTellOfTopicsThatAreCreatedBecauseAClientAsksForThem() throws Exception {
        try (Logged log = new Logged("io.firn.audit");
                Running running = new Running(directory, Map.of("firn.max.partitions", "2"))) {
            try (var producer = running.producer(Map.of("max.block.ms", 60_000))) {
                producer.send(new ProducerRecord<>("asked-for", "x"))
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
                assertHas(log, ANONYMOUS + "METADATA resource=Topic:asked-for result=NONE");
                producer.send(new ProducerRecord<>("asked-for", "x"))
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
                assertEquals(1, log.count("METADATA"));
            }
            running.createTopic("another", 1, Map.of());
            try (Wire wire = new Wire(running.server())) {
                MetadataRequestData request =
                        new MetadataRequestData().setAllowAutoTopicCreation(true);
                request.topics().add(new MetadataRequestTopic().setName("too-many"));
                wire.ask(ApiKeys.METADATA, 9, request, new MetadataResponseData());
            }
            assertHas(log, ANONYMOUS + "METADATA resource=Topic:too-many result=POLICY_VIOLATION");
        }
    }

    private static void join(KafkaConsumer<String, String> consumer) {
        consumer.subscribe(List.of("orders"));
        Running.await(
                "the member",
                () -> {
                    consumer.poll(Duration.ofMillis(100));
                    return !consumer.assignment().isEmpty();
                });
    }

    @Test
    void shouldTellOfMembersThatSomebodyElseRemovesFromAGroupAndNotOfThoseThatLeave()
            throws Exception {
        try (Logged log = new Logged("io.firn.audit");
                Running running = new Running(directory);
                Admin admin = running.admin()) {
            running.createTopic("orders", 2, Map.of());
            Map<String, Object> dynamic = Map.of("group.id", "billing");
            Map<String, Object> fixed =
                    Map.of("group.id", "audits", "group.instance.id", "instance");
            try (var leaving = running.consumer(Map.of("group.id", "leavers"))) {
                join(leaving);
            }
            try (var one = running.consumer(dynamic);
                    var two = running.consumer(fixed)) {
                join(one);
                join(two);
                var member = new MemberToRemove("instance");
                get(
                        admin.removeMembersFromConsumerGroup(
                                        "audits",
                                        new RemoveMembersFromConsumerGroupOptions(Set.of(member)))
                                .all());
                assertHas(
                        log, ANONYMOUS + "LEAVE_GROUP resource=Member:audits,instance result=NONE");
                get(
                        admin.removeMembersFromConsumerGroup(
                                        "billing", new RemoveMembersFromConsumerGroupOptions())
                                .all());
                assertHas(log, ANONYMOUS + "LEAVE_GROUP resource=Member:billing,consumer-billing-");
                assertFalse(log.has("leavers"));
                var unknown = new MemberToRemove("nobody");
                var removal =
                        admin.removeMembersFromConsumerGroup(
                                "audits",
                                new RemoveMembersFromConsumerGroupOptions(Set.of(unknown)));
                assertThrows(ExecutionException.class, () -> get(removal.all()));
                assertHas(
                        log,
                        ANONYMOUS
                                + "LEAVE_GROUP resource=Member:audits,nobody"
                                + " result=UNKNOWN_MEMBER_ID");
            }
        }
    }

    @Test
    void shouldTellOfDeletedGroupsAndRecords() throws Exception {
        try (Logged log = new Logged("io.firn.audit");
                Running running = new Running(directory);
                Admin admin = running.admin()) {
            running.createTopic("orders", 1, Map.of());
            TopicPartition partition = new TopicPartition("orders", 0);
            try (var producer = running.producer(Map.of())) {
                producer.send(new ProducerRecord<>("orders", "x"))
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
            get(
                    admin.alterConsumerGroupOffsets(
                                    "bil ling", Map.of(partition, new OffsetAndMetadata(1)))
                            .all());
            get(admin.deleteConsumerGroups(List.of("bil ling")).all());
            assertHas(log, ANONYMOUS + "DELETE_GROUPS resource=Group:bil\\u0020ling result=NONE");
            var again = admin.deleteConsumerGroups(List.of("bil ling")).all();
            assertThrows(ExecutionException.class, () -> get(again));
            assertHas(
                    log,
                    ANONYMOUS
                            + "DELETE_GROUPS resource=Group:bil\\u0020ling"
                            + " result=GROUP_ID_NOT_FOUND");
            get(admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(1))).all());
            assertHas(log, ANONYMOUS + "DELETE_RECORDS resource=Partition:orders-0 result=NONE");
            var beyond = admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(9)));
            assertThrows(ExecutionException.class, () -> get(beyond.all()));
            assertHas(
                    log,
                    ANONYMOUS
                            + "DELETE_RECORDS resource=Partition:orders-0"
                            + " result=OFFSET_OUT_OF_RANGE");
        }
    }

    /** A certificate is a sign-in; what a client writes into an ACL is not a line of its own. */
    @Test
    void shouldTellWhoSignsInByACertificateAndWhichAclsItChanges() throws Exception {
        Path keys = Files.createDirectory(directory.resolve("keys"));
        TestKeys own = TestKeys.make(keys, "server");
        TestKeys alice = TestKeys.make(keys, "alice");
        Map<String, String> settings = new HashMap<>(own.keystore());
        settings.putAll(TestKeys.truststore(TestKeys.trusting(keys, alice)));
        settings.put("listeners", "SSL://127.0.0.1:0");
        settings.put("ssl.client.auth", "required");
        settings.put("super.users", "User:CN=alice,O=Firn");
        try (Logged log = new Logged("io.firn.audit");
                Running running = new Running(directory, settings)) {
            Map<String, Object> client = running.client("SSL", alice.keystore());
            client.put("security.protocol", "SSL");
            client.putAll(TestKeys.truststore(TestKeys.trusting(keys, own)));
            String from = " address=127.0.0.1 listener=SSL";
            String who = "principal=User:CN\\u003Dalice,O\\u003DFirn" + from;
            AclBinding acl =
                    new AclBinding(
                            new ResourcePattern(
                                    ResourceType.TOPIC, "or\u0007ders", PatternType.LITERAL),
                            new AccessControlEntry(
                                    "User:eve\r\nsign-in principal=User:root",
                                    "*",
                                    AclOperation.READ,
                                    AclPermissionType.ALLOW));
            String line =
                    " resource=Acl:ALLOW,User:eve\\u000D\\u000Asign-in\\u0020principal"
                            + "\\u003DUser:root,READ,TOPIC:or\\u0007ders result=NONE";
            try (Admin admin = Admin.create(client)) {
                get(admin.createAcls(List.of(acl)).all());
                assertHas(log, "sign-in " + who + " mechanism=TLS");
                assertHas(log, "change " + who + " api=CREATE_ACLS" + line);
                get(admin.deleteAcls(List.of(acl.toFilter())).all());
                assertHas(log, "change " + who + " api=DELETE_ACLS" + line);
            }
            assertFalse(log.has("principal=User:root"));
            assertFalse(log.has("\nsign-in"));
            assertFalse(log.has("sign-in-failed"));
            client.putAll(own.keystore()); // of nobody whom the server trusts
            try (Admin admin = Admin.create(client)) {
                assertThrows(ExecutionException.class, () -> get(admin.listTopics().names()));
            }
            assertHas(log, "sign-in-failed user=-" + from + " mechanism=TLS");
            assertFalse(log.has("CN\\u003Dserver"));
        }
    }

    private static UserScramCredentialUpsertion user() {
        var form = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4_096);
        return new UserScramCredentialUpsertion("alice", form, "s3cret");
    }

    @Test
    void shouldTellOfAChangeWhoseClientDoesNotWaitForTheAnswer() throws Exception {
        try (Logged log = new Logged("io.firn.audit");
                Running running = new Running(directory)) {
            running.createTopic("orders", 1, Map.of());
            try (Wire wire = new Wire(running.server())) {
                DeleteTopicsRequestData request = new DeleteTopicsRequestData();
                request.topics().add(new DeleteTopicState().setName("orders"));
                wire.send(Wire.request(ApiKeys.DELETE_TOPICS, (short) 6, request));
            }
            assertHas(log, ANONYMOUS + "DELETE_TOPICS resource=Topic:orders result=NONE");
        }
    }

    @Test
    void shouldTellWhoSignsInAndWhoFailsTo() throws Exception {
        Map<String, String> settings = new HashMap<>();
        settings.put("listeners", "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0");
        settings.put("sasl.enabled.mechanisms", "SCRAM-SHA-256");
        settings.put("super.users", "User:ANONYMOUS");
        settings.put("connection.failed.authentication.delay.ms", "0");
        try (Logged log = new Logged("io.firn.audit");
                Running running = new Running(directory, settings)) {
            try (Admin admin = Admin.create(running.client("PLAINTEXT", Map.of()))) {
                get(admin.alterUserScramCredentials(List.of(user())).all());
            }
            String end = " address=127.0.0.1 listener=SASL_PLAINTEXT mechanism=SCRAM-SHA-256";
            for (String password : List.of("s3cret", "another")) {
                Map<String, Object> client = running.client("SASL_PLAINTEXT", Map.of());
                client.put("security.protocol", "SASL_PLAINTEXT");
                client.put("sasl.mechanism", "SCRAM-SHA-256");
                client.put(
                        "sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required"
                                + " username=\"alice\" password=\""
                                + password
                                + "\";");
                try (Admin admin = Admin.create(client)) {
                    var names = admin.listTopics().names();
                    if (password.equals("s3cret")) {
                        get(names);
                        assertHas(log, "sign-in principal=User:alice" + end);
                        assertFalse(log.has("sign-in-failed"));
                        var topic = new NewTopic("orders", 1, (short) 1);
                        var denied = admin.createTopics(List.of(topic)).all();
                        assertThrows(ExecutionException.class, () -> get(denied));
                        assertHas(
                                log,
                                "denied principal=User:alice address=127.0.0.1"
                                        + " listener=SASL_PLAINTEXT operation=CREATE"
                                        + " resource=TOPIC:orders");
                    } else {
                        assertThrows(ExecutionException.class, () -> get(names));
                        assertHas(log, "sign-in-failed user=alice" + end);
                    }
                }
            }
            assertTrue(log.has("resource=User:alice"));
        }
    }
}
