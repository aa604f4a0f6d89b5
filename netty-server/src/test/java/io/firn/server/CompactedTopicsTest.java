package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.CleanupPolicy;
import io.firn.TopicOptions;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The configuration of compacted topics, as clients set it and as the log has it; and their keys.
 */
@FirstRunOnly
class CompactedTopicsTest {
    private static final String TOPIC = "orders";
    private static final ConfigResource RESOURCE =
            new ConfigResource(ConfigResource.Type.TOPIC, TOPIC);

    @TempDir Path directory;
    private Running running;

    @BeforeEach
    void start() throws Exception {
        running = new Running(directory, Map.of("log.segment.bytes", "65536"));
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private TopicOptions options() {
        return running.store().openTopic(TOPIC).options();
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private void alter(String key, String value, OpType how) throws Exception {
        try (Admin admin = running.admin()) {
            AlterConfigOp change = new AlterConfigOp(new ConfigEntry(key, value), how);
            get(admin.incrementalAlterConfigs(Map.of(RESOURCE, List.of(change))).all());
        }
    }

    private Config config() throws Exception {
        try (Admin admin = running.admin()) {
            return get(admin.describeConfigs(List.of(RESOURCE)).all()).get(RESOURCE);
        }
    }

    private String value(String key) throws Exception {
        return config().get(key).value();
    }

    @Test
    void shouldGiveTheLogWhatAClientSetsAndTakeItBack() throws Exception {
        running.createTopic(
                TOPIC,
                1,
                Map.of(
                        "cleanup.policy", "compact",
                        "min.compaction.lag.ms", "5",
                        "max.compaction.lag.ms", "7",
                        "min.cleanable.dirty.ratio", "0.1",
                        "delete.retention.ms", "11",
                        "retention.ms", "13"));
        TopicOptions created = options();
        assertEquals(CleanupPolicy.COMPACT, created.cleanup());
        assertEquals(Duration.ofMillis(5), created.minCompactionLag());
        assertEquals(Optional.of(Duration.ofMillis(7)), created.maxCompactionLag());
        assertEquals(0.1, created.minDirtyRatio());
        assertEquals(Duration.ofMillis(11), created.tombstoneRetention());
        assertEquals(Optional.of(Duration.ofMillis(13)), created.retentionAge(), "without effect");

        alter("max.compaction.lag.ms", "", OpType.DELETE);
        assertEquals(Optional.empty(), options().maxCompactionLag());
        alter("cleanup.policy", "delete", OpType.APPEND);
        assertEquals(CleanupPolicy.COMPACT_AND_DELETE, options().cleanup());
        assertEquals(Optional.of(Duration.ofMillis(13)), options().retentionAge());

        running.restart();
        assertEquals(CleanupPolicy.COMPACT_AND_DELETE, options().cleanup());
        assertEquals("compact,delete", value("cleanup.policy"));
        assertEquals("0.1", value("min.cleanable.dirty.ratio"));

        alter("cleanup.policy", "compact", OpType.SUBTRACT);
        assertEquals(CleanupPolicy.DELETE, options().cleanup());
        assertEquals("0.1", value("min.cleanable.dirty.ratio"), "kept for the next time");
        alter("cleanup.policy", "compact", OpType.SET);
        assertEquals(0.1, options().minDirtyRatio());
        alter("cleanup.policy", "", OpType.DELETE);
        assertEquals(CleanupPolicy.DELETE, options().cleanup());
    }

    /** By AlterConfigs, which older clients send. */
    @Test
    void shouldReturnToTheDefaultWhenTheConfigurationIsReplaced() throws Exception {
        running.createTopic(TOPIC, 1, Map.of("cleanup.policy", "compact"));
        AlterConfigsResource topic =
                new AlterConfigsResource()
                        .setResourceType(RESOURCE.type().id())
                        .setResourceName(TOPIC);
        topic.configs().add(new AlterableConfig().setName("retention.ms").setValue("17"));
        AlterConfigsRequestData request = new AlterConfigsRequestData();
        request.resources().add(topic);
        try (Wire wire = new Wire(running.server())) {
            var answer =
                    wire.ask(ApiKeys.ALTER_CONFIGS, 1, request, new AlterConfigsResponseData());
            assertEquals(0, answer.responses().get(0).errorCode());
        }
        assertEquals(CleanupPolicy.DELETE, options().cleanup());
        assertEquals(Optional.of(Duration.ofMillis(17)), options().retentionAge());
    }

    @Test
    void shouldSayWhatIsExpectedInsteadOfAWrongValue() throws Exception {
        Map<String, String> wrong =
                Map.of(
                        "cleanup.policy", "compactt",
                        "min.compaction.lag.ms", "-1",
                        "max.compaction.lag.ms", "0",
                        "min.cleanable.dirty.ratio", "1.5",
                        "delete.retention.ms", "-1");
        try (Admin admin = running.admin()) {
            for (Map.Entry<String, String> each : wrong.entrySet()) {
                NewTopic topic =
                        new NewTopic(TOPIC, 1, (short) 1)
                                .configs(Map.of(each.getKey(), each.getValue()));
                ExecutionException refusal =
                        assertThrows(
                                ExecutionException.class,
                                () -> get(admin.createTopics(List.of(topic)).all()));
                assertInstanceOf(InvalidConfigurationException.class, refusal.getCause());
                String message = refusal.getCause().getMessage();
                assertTrue(message.contains(each.getKey()), message);
                assertTrue(message.contains(each.getValue()), message);
            }
            NewTopic topic =
                    new NewTopic(TOPIC, 1, (short) 1)
                            .configs(
                                    Map.of(
                                            "min.compaction.lag.ms", "8",
                                            "max.compaction.lag.ms", "7"));
            ExecutionException refusal =
                    assertThrows(
                            ExecutionException.class,
                            () -> get(admin.createTopics(List.of(topic)).all()));
            assertTrue(refusal.getCause().getMessage().contains("at most max.compaction.lag.ms"));
        }
    }

    /** That version stored the policy in its own file only. */
    @Test
    void shouldCompactATopicThatAVersionWithoutCompactionCreated() throws Exception {
        running.createTopic(TOPIC, 1, Map.of());
        running.createTopic("other", 1, Map.of());
        String id = running.store().openTopic(TOPIC).id().toString();
        running.stop();
        SmallFile.write(
                FileMedium.real(),
                directory.resolve("store/server/topics").resolve(id),
                "topic-config",
                1,
                Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0.2"));
        running.start(0);
        assertEquals(CleanupPolicy.COMPACT, options().cleanup());
        assertEquals(0.2, options().minDirtyRatio());
        assertEquals(CleanupPolicy.DELETE, running.store().openTopic("other").options().cleanup());
    }

    @Test
    void shouldLeaveATopicCompactedThatTheApplicationHasMadeSo() throws Exception {
        running.store()
                .createTopic(
                        TOPIC,
                        TopicOptions.defaults()
                                .withCleanup(CleanupPolicy.COMPACT)
                                .withMinCompactionLag(Duration.ofMillis(3))
                                .withMinDirtyRatio(0.75));
        assertEquals("compact", value("cleanup.policy"));
        assertEquals("3", value("min.compaction.lag.ms"));
        assertEquals("0.75", value("min.cleanable.dirty.ratio"));
        alter("max.message.bytes", "2000", OpType.SET);
        assertEquals(CleanupPolicy.COMPACT, options().cleanup());
        assertEquals(0.75, options().minDirtyRatio());
        alter("cleanup.policy", "delete", OpType.SET);
        assertEquals(CleanupPolicy.DELETE, options().cleanup());
        assertEquals(Optional.empty(), options().retentionAge());
    }

    @Test
    void shouldRefuseABatchWithARecordWithoutAKeyHoweverItIsCompressed() throws Exception {
        running.createTopic(TOPIC, 1, Map.of("cleanup.policy", "compact"));
        running.createTopic("other", 1, Map.of());
        SimpleRecord keyed = new SimpleRecord(1, new byte[] {1}, new byte[300]);
        SimpleRecord keyless = new SimpleRecord(1, null, new byte[300]);
        try (Wire wire = new Wire(running.server())) {
            List<Compression> codecs =
                    List.of(
                            Compression.NONE,
                            Compression.gzip().build(),
                            Compression.snappy().build(),
                            Compression.lz4().build(),
                            Compression.zstd().build());
            long next = 0;
            for (Compression codec : codecs) {
                MemoryRecords good = MemoryRecords.withRecords(codec, keyed, keyed);
                MemoryRecords bad = MemoryRecords.withRecords(codec, keyed, keyless, keyed);
                assertEquals(Errors.INVALID_RECORD, produced(wire, TOPIC, bad));
                assertEquals(Errors.NONE, produced(wire, TOPIC, good));
                assertEquals(Errors.NONE, produced(wire, "other", bad));
                byte[] rotten = new byte[good.sizeInBytes()];
                good.buffer().get(0, rotten);
                rotten[rotten.length - 1] ^= 1;
                MemoryRecords corrupt =
                        MemoryRecords.readableRecords(java.nio.ByteBuffer.wrap(rotten));
                assertEquals(Errors.CORRUPT_MESSAGE, produced(wire, TOPIC, corrupt));
                next += 2;
                assertEquals(next, running.store().openTopic(TOPIC).partition(0).nextOffset());
            }
        }
    }

    @Test
    void shouldNameEachRecordWithoutAKeyHoweverTheBatchIsCompressed() throws Exception {
        running.createTopic(TOPIC, 1, Map.of("cleanup.policy", "compact"));
        SimpleRecord keyed = new SimpleRecord(1, new byte[] {1}, new byte[300]);
        SimpleRecord keyless = new SimpleRecord(1, null, new byte[300]);
        try (Wire wire = new Wire(running.server())) {
            for (Compression codec : List.of(Compression.NONE, Compression.zstd().build())) {
                MemoryRecords records =
                        MemoryRecords.withRecords(codec, keyed, keyless, keyed, keyless, keyless);
                PartitionProduceResponse result = Asks.produced(wire, TOPIC, 0, Asks.ALL, records);
                assertEquals(Errors.INVALID_RECORD.code(), result.errorCode());
                assertEquals(
                        List.of(1, 3, 4),
                        result.recordErrors().stream()
                                .map(BatchIndexAndErrorMessage::batchIndex)
                                .toList());
            }
        }
    }

    @Test
    void shouldNameNoRecordWithoutAKeyWhenThereAreTooMany() throws Exception {
        running.createTopic(TOPIC, 1, Map.of("cleanup.policy", "compact"));
        SimpleRecord[] keyless = new SimpleRecord[1_001];
        Arrays.fill(keyless, new SimpleRecord(1, null, new byte[1]));
        try (Wire wire = new Wire(running.server())) {
            for (int count : new int[] {1_000, 1_001}) {
                MemoryRecords records =
                        MemoryRecords.withRecords(Compression.NONE, Arrays.copyOf(keyless, count));
                PartitionProduceResponse result = Asks.produced(wire, TOPIC, 0, Asks.ALL, records);
                assertEquals(Errors.INVALID_RECORD.code(), result.errorCode());
                assertEquals(count == 1_000 ? 1_000 : 0, result.recordErrors().size());
            }
        }
    }

    /** As Kafka's producer understands it, which is told that its record was beside others. */
    @Test
    void shouldTellAProducerWhichOfItsRecordsHadNoKey() throws Exception {
        running.createTopic(TOPIC, 1, Map.of("cleanup.policy", "compact"));
        try (KafkaProducer<String, String> producer =
                running.producer(Map.of("linger.ms", "60000"))) {
            var good = producer.send(new ProducerRecord<>(TOPIC, "key", "value"));
            var bad = producer.send(new ProducerRecord<>(TOPIC, "no key"));
            producer.flush();
            ExecutionException refusal = assertThrows(ExecutionException.class, bad::get);
            assertTrue(
                    refusal.getCause().getMessage().contains("each record needs a key"),
                    refusal.getCause().getMessage());
            refusal = assertThrows(ExecutionException.class, good::get);
            assertTrue(
                    refusal.getCause().getMessage().contains("part of a batch"),
                    refusal.getCause().getMessage());
        }
    }

    @Test
    void shouldGiveAConsumerTheLatestValueOfEachKeyAndNoLag() throws Exception {
        int keys = 40;
        int rounds = 30;
        int count = rounds * keys;
        running.createTopic(TOPIC, 1, Map.of("cleanup.policy", "compact"));
        String padding = "x".repeat(300);
        try (KafkaProducer<String, String> producer = running.producer(Map.of("linger.ms", "0"))) {
            for (int i = 0; i < count; i++) {
                String value = i / keys + padding.substring(i % 7);
                var unused = producer.send(new ProducerRecord<>(TOPIC, "k" + i % keys, value));
                if (i % 10 == 0) {
                    producer.flush();
                }
            }
            producer.flush();
        }
        // The store's own thread may be at it as well.
        running.store().compact(TOPIC, 0);
        TopicPartition partition = new TopicPartition(TOPIC, 0);
        Map<String, String> latest = new HashMap<>();
        int[] found = {0};
        try (KafkaConsumer<String, String> consumer =
                running.consumer(Map.of("fetch.max.wait.ms", 10))) {
            consumer.assign(List.of(partition));
            Running.await(
                    "the end",
                    () -> {
                        consumer.poll(Duration.ofMillis(100))
                                .forEach(
                                        each -> {
                                            latest.put(each.key(), each.value());
                                            found[0]++;
                                        });
                        return consumer.position(partition) == count;
                    });
            assertEquals(0, consumer.currentLag(partition).orElseThrow());
        }
        assertEquals(keys, latest.size());
        for (String value : latest.values()) {
            assertTrue(value.startsWith(rounds - 1 + "x"), value);
        }
        assertTrue(found[0] < count * 3 / 4, found[0] + " records are left");
    }

    private static void fill(KafkaProducer<String, String> producer) {
        String padding = "x".repeat(60_000);
        for (int i = 0; i < 40; i++) {
            var unused = producer.send(new ProducerRecord<>(TOPIC, "filling", padding));
            producer.flush();
        }
    }

    /** A client takes a producer's transactions for aborted until it has read the marker. */
    @Test
    void shouldShowWhatAProducerCommitsAfterTheMarkerOfItsAbortedTransactionIsRemoved()
            throws Exception {
        running.createTopic(
                TOPIC, 1, Map.of("cleanup.policy", "compact", "delete.retention.ms", "1"));
        try (KafkaProducer<String, String> plain = running.producer(Map.of());
                KafkaProducer<String, String> producer =
                        running.producer(Map.of("transactional.id", "tx"))) {
            plain.send(new ProducerRecord<>(TOPIC, "a", "before")).get();
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(TOPIC, "b", "aborted")).get();
            producer.abortTransaction();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(TOPIC, "b", "committed")).get();
            producer.commitTransaction();
            for (int i = 0; i < 3; i++) {
                fill(plain);
                running.store().compact(TOPIC, 0);
            }
        }
        try (var consumer = running.consumer(Map.of("isolation.level", "read_committed"))) {
            TopicPartition partition = new TopicPartition(TOPIC, 0);
            consumer.assign(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            Map<String, String> latest = new HashMap<>();
            Running.await(
                    "the end",
                    () -> {
                        consumer.poll(Duration.ofMillis(100))
                                .forEach(each -> latest.put(each.key(), each.value()));
                        return consumer.position(partition) >= end;
                    });
            assertEquals("before", latest.get("a"));
            assertEquals("committed", latest.get("b"));
        }
    }

    private static Errors produced(Wire wire, String topic, MemoryRecords records)
            throws Exception {
        return Errors.forCode(Asks.produced(wire, topic, 0, Asks.ALL, records).errorCode());
    }

    /** What the application sees, in order, although some batches are looked at elsewhere. */
    @Test
    void shouldRefuseARecordWithoutAKeyOfKafkasProducerAndTakeTheOthersInOrder() throws Exception {
        running.createTopic(TOPIC, 1, Map.of("cleanup.policy", "compact"));
        try (KafkaProducer<String, String> producer =
                running.producer(Map.of("compression.type", "zstd", "linger.ms", "0"))) {
            ExecutionException refusal =
                    assertThrows(
                            ExecutionException.class,
                            () ->
                                    producer.send(new ProducerRecord<>(TOPIC, "no key"))
                                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
            assertInstanceOf(InvalidRecordException.class, refusal.getCause());
            for (int i = 0; i < 500; i++) {
                var unused = producer.send(new ProducerRecord<>(TOPIC, "k" + i % 7, "v" + i));
            }
            producer.flush();
        }
        try (var consumer = running.consumer(Map.of())) {
            consumer.assign(List.of(new TopicPartition(TOPIC, 0)));
            var found = Running.read(consumer, 500);
            for (int i = 0; i < found.size(); i++) {
                assertEquals("v" + i, found.get(i).value());
            }
        }
        assertEquals(List.of(), Arrays.asList(running.store().findings().toArray()));
    }
}
