package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's own admin client. */
class AdminTest {
    private static final ConfigResource ORDERS =
            new ConfigResource(ConfigResource.Type.TOPIC, "orders");

    @TempDir Path directory;
    private Running running;
    private Admin admin;

    @BeforeEach
    void start() throws Exception {
        running = new Running(directory);
        admin = running.admin();
    }

    @AfterEach
    void stop() {
        admin.close();
        running.close();
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private static void assertRefused(Class<?> expected, KafkaFuture<?> future) {
        ExecutionException e = assertThrows(ExecutionException.class, () -> get(future));
        assertInstanceOf(expected, e.getCause());
    }

    private TopicDescription describe(String topic) throws Exception {
        return get(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic);
    }

    private void produce(int partition, int count) {
        try (KafkaProducer<String, String> producer = running.producer(Map.of())) {
            for (int i = 0; i < count; i++) {
                var unused =
                        producer.send(
                                new ProducerRecord<>("orders", partition, 100L - i, "k", "v"));
            }
        }
    }

    @Test
    void shouldGiveATopicThatIsCreatedAgainAnotherId() throws Exception {
        running.createTopic("orders", 3, Map.of());
        TopicDescription before = describe("orders");
        assertEquals(3, before.partitions().size());
        running.restart();
        assertEquals(before.topicId(), describe("orders").topicId());
        get(admin.deleteTopics(List.of("orders")).all());
        assertRefused(
                UnknownTopicOrPartitionException.class,
                admin.describeTopics(List.of("orders")).allTopicNames());
        running.createTopic("orders", 1, Map.of());
        assertNotEquals(before.topicId(), describe("orders").topicId());
    }

    @Test
    void shouldRefuseTopicsThatCannotBe() throws Exception {
        running.createTopic("orders", 1, Map.of());
        assertRefused(
                TopicExistsException.class,
                admin.createTopics(List.of(new NewTopic("orders", 1, (short) 1))).all());
        assertRefused(
                InvalidReplicationFactorException.class,
                admin.createTopics(List.of(new NewTopic("other", 1, (short) 3))).all());
        ExecutionException e =
                assertThrows(
                        ExecutionException.class,
                        () -> running.createTopic("other", 1, Map.of("retention.msec", "1")));
        assertInstanceOf(InvalidConfigurationException.class, e.getCause());
        assertTrue(e.getMessage().contains("did you mean 'retention.ms'"), e.getMessage());
        assertEquals(Set.of("orders"), get(admin.listTopics().names()));
    }

    @Test
    void shouldAddPartitionsThatLastAndTakeRecords() throws Exception {
        running.createTopic("orders", 1, Map.of());
        produce(0, 5);
        get(admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(3))).all());
        produce(2, 7);
        running.restart();
        assertEquals(3, describe("orders").partitions().size());
        TopicPartition last = new TopicPartition("orders", 2);
        assertEquals(
                7,
                get(admin.listOffsets(Map.of(last, OffsetSpec.latest())).all()).get(last).offset());
    }

    @Test
    void shouldDeleteRecordsAndFindTheNewestByTime() throws Exception {
        running.createTopic("orders", 1, Map.of());
        produce(0, 10); // the first has the largest timestamp
        TopicPartition first = new TopicPartition("orders", 0);
        assertEquals(
                0,
                get(admin.listOffsets(Map.of(first, OffsetSpec.maxTimestamp())).all())
                        .get(first)
                        .offset());
        get(admin.deleteRecords(Map.of(first, RecordsToDelete.beforeOffset(4))).all());
        assertEquals(
                4,
                get(admin.listOffsets(Map.of(first, OffsetSpec.earliest())).all())
                        .get(first)
                        .offset());
        assertEquals(
                4,
                get(admin.listOffsets(Map.of(first, OffsetSpec.maxTimestamp())).all())
                        .get(first)
                        .offset(),
                "the first of those that are left");
    }

    @Test
    void shouldKeepAndReportWhatWasConfiguredExactly() throws Exception {
        running.createTopic(
                "orders", 1, Map.of("cleanup.policy", "compact", "min.compaction.lag.ms", "60000"));
        get(
                admin.incrementalAlterConfigs(
                                Map.of(
                                        ORDERS,
                                        List.of(
                                                op("retention.ms", "5000", OpType.SET),
                                                op("cleanup.policy", "delete", OpType.APPEND),
                                                op("min.compaction.lag.ms", "", OpType.DELETE))))
                        .all());
        assertEquals(
                Optional.of(Duration.ofMillis(5_000)),
                running.store().openTopic("orders").options().retentionAge());
        assertRefused(
                InvalidConfigurationException.class,
                admin.incrementalAlterConfigs(
                                Map.of(ORDERS, List.of(op("retention.ms", "soon", OpType.SET))))
                        .all());
        running.restart();
        Config config = get(admin.describeConfigs(List.of(ORDERS)).all()).get(ORDERS);
        assertEquals("compact,delete", config.get("cleanup.policy").value());
        assertEquals("5000", config.get("retention.ms").value());
        assertEquals(
                ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG, config.get("retention.ms").source());
        assertEquals("0", config.get("min.compaction.lag.ms").value());
        assertTrue(config.get("min.compaction.lag.ms").isDefault());
        assertEquals(
                Optional.of(Duration.ofMillis(5_000)),
                running.store().openTopic("orders").options().retentionAge());
    }

    /** What an older version accepted stays until somebody changes it. */
    @Test
    void shouldKeepAConfigurationThatWouldBeRefusedToday() throws Exception {
        running.createTopic("orders", 1, Map.of("retention.ms", "4000"));
        String id = running.store().openTopic("orders").id().toString();
        running.stop();
        SmallFile.write(
                FileMedium.real(),
                directory.resolve("store/server/topics").resolve(id),
                "topic-config",
                1,
                Map.of("compression.gzip.level", "77", "retention.ms", "4000"));
        running.start(0);
        try (Admin again = running.admin()) {
            AlterConfigOp other = op("retention.ms", "5000", OpType.SET);
            get(again.incrementalAlterConfigs(Map.of(ORDERS, List.of(other))).all());
            AlterConfigOp wrong = op("compression.gzip.level", "78", OpType.SET);
            assertRefused(
                    InvalidConfigurationException.class,
                    again.incrementalAlterConfigs(Map.of(ORDERS, List.of(wrong))).all());
            Config config = get(again.describeConfigs(List.of(ORDERS)).all()).get(ORDERS);
            assertEquals("77", config.get("compression.gzip.level").value());
            assertEquals("5000", config.get("retention.ms").value());
        }
    }

    /** What Kafka's tools and user interfaces ask a broker for; none of it is left blank. */
    @Test
    void shouldDescribeTheNodeWithTheKeysThatToolsLookFor() throws Exception {
        ConfigResource node = new ConfigResource(ConfigResource.Type.BROKER, "1");
        Config config = get(admin.describeConfigs(List.of(node)).all()).get(node);
        Map<String, String> expected = new TreeMap<>();
        expected.put("authorizer.class.name", "");
        expected.put("auto.create.topics.enable", "true");
        expected.put("broker.id", "1");
        expected.put("compression.type", "producer");
        expected.put("default.replication.factor", "1");
        expected.put("delete.topic.enable", "true");
        expected.put("group.coordinator.rebalance.protocols", "classic");
        expected.put("log.cleanup.policy", "delete");
        expected.put("log.retention.hours", "168");
        expected.put("log.segment.bytes", "1048576");
        expected.put("message.max.bytes", "1048588");
        expected.put("min.insync.replicas", "1");
        expected.put("node.id", "1");
        expected.put("num.partitions", "1");
        expected.put("offsets.retention.minutes", "10080");
        expected.put("offsets.topic.replication.factor", "1");
        expected.put("process.roles", "broker,controller");
        expected.put("remote.log.storage.system.enable", "false");
        expected.put("sasl.enabled.mechanisms", "");
        expected.put("security.inter.broker.protocol", "PLAINTEXT");
        expected.put("unclean.leader.election.enable", "false");
        Map<String, String> found = new TreeMap<>();
        for (String key : expected.keySet()) {
            ConfigEntry entry = config.get(key);
            found.put(key, entry == null ? "not described" : entry.value());
        }
        assertEquals(expected, found);
    }

    /** Of a topic, the source of what was not set is the server's file, if it is given there. */
    @Test
    void shouldSayWhereATopicsDefaultsComeFrom() throws Exception {
        NewTopic topic =
                new NewTopic("orders", 1, (short) 1).configs(Map.of("retention.ms", "5000"));
        Config created = get(admin.createTopics(List.of(topic)).config("orders"));
        Config described = get(admin.describeConfigs(List.of(ORDERS)).all()).get(ORDERS);
        for (Config config : List.of(created, described)) {
            assertEquals(
                    ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG,
                    config.get("retention.ms").source());
            assertEquals(
                    ConfigEntry.ConfigSource.STATIC_BROKER_CONFIG,
                    config.get("segment.bytes").source());
            assertEquals(
                    ConfigEntry.ConfigSource.DEFAULT_CONFIG,
                    config.get("max.message.bytes").source());
        }
    }

    private static AlterConfigOp op(String key, String value, OpType type) {
        return new AlterConfigOp(new ConfigEntry(key, value), type);
    }

    @Test
    void shouldDescribeTheNodeItsDisksAndThatThereIsNoSecurity() throws Exception {
        running.createTopic("orders", 1, Map.of());
        produce(0, 10);
        var nodes = get(admin.describeCluster().nodes());
        assertEquals(1, nodes.size());
        assertEquals(running.server().port(), nodes.iterator().next().port());
        int id = nodes.iterator().next().id();
        ConfigResource node = new ConfigResource(ConfigResource.Type.BROKER, Integer.toString(id));
        assertEquals(
                "1048576",
                get(admin.describeConfigs(List.of(node)).all())
                        .get(node)
                        .get("log.segment.bytes")
                        .value());
        var dir = get(admin.describeLogDirs(List.of(id)).allDescriptions()).get(id).values();
        long bytes =
                dir.iterator().next().replicaInfos().get(new TopicPartition("orders", 0)).size();
        assertTrue(bytes > 10, bytes + " bytes");
        assertRefused(
                SecurityDisabledException.class, admin.describeAcls(AclBindingFilter.ANY).values());
    }

    @Test
    void shouldShowItsNumbersOverJmx() throws Exception {
        running.createTopic("orders", 1, Map.of());
        produce(0, 10);
        ObjectName name =
                new ObjectName(
                        "io.firn:type=Server,name="
                                + ObjectName.quote(running.server().bootstrapServers()));
        var beans = ManagementFactory.getPlatformMBeanServer();
        assertTrue((long) beans.getAttribute(name, "Requests") > 3);
        assertEquals(10L, running.server().metrics().getNextOffsets().get("orders-0"));
        running.server().close();
        assertEquals(Set.of(), beans.queryNames(name, null));
    }
}
