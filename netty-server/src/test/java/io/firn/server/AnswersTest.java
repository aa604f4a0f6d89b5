package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Durability;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ProduceRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Refusals that clients act on: with the codes that Apache Kafka 4.4.0 answers with. */
class AnswersTest {
    private static final String TOPIC = "orders";

    @TempDir Path directory;
    private Running running;

    private Wire start(Map<String, String> topic) throws Exception {
        running = new Running(directory);
        running.createTopic(TOPIC, 1, topic);
        return new Wire(running.server());
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private static Errors produced(Wire wire, MemoryRecords records) throws Exception {
        return Errors.forCode(Asks.produced(wire, TOPIC, 0, Asks.ALL, records).errorCode());
    }

    private static byte[] bytes() {
        ByteBuffer batch = Asks.batch(new byte[20]).buffer();
        byte[] bytes = new byte[batch.remaining()];
        batch.get(bytes);
        return bytes;
    }

    private static MemoryRecords with(int attributes) {
        return ForgedBatches.withAttributes(Asks.batch(new byte[20]), attributes);
    }

    private static MemoryRecords of(byte[] bytes) {
        return MemoryRecords.readableRecords(ByteBuffer.wrap(bytes));
    }

    private static void await(KafkaFuture<?> future) throws Exception {
        future.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    @Test
    void shouldSayWhatIsWrongWithABatch() throws Exception {
        try (Wire wire = start(Map.of())) {
            SimpleRecord record = new SimpleRecord(new byte[100]);
            for (byte magic = 0; magic < 2; magic++) {
                MemoryRecords older = MemoryRecords.withRecords(magic, Compression.NONE, record);
                assertThrows( // by Kafka's own check
                        InvalidRecordException.class,
                        () -> ProduceRequest.validateRecords((short) Asks.PRODUCE, older));
                assertEquals(Errors.INVALID_RECORD, produced(wire, older));
            }
            byte[] rotten = bytes();
            rotten[rotten.length - 3] ^= 1;
            assertEquals(Errors.CORRUPT_MESSAGE, produced(wire, of(rotten)));
            byte[] cut = Arrays.copyOf(bytes(), bytes().length - 1);
            assertEquals(Errors.INVALID_RECORD, produced(wire, of(cut)));
            byte[] two = Arrays.copyOf(bytes(), 2 * bytes().length);
            System.arraycopy(bytes(), 0, two, bytes().length, bytes().length);
            assertEquals(Errors.INVALID_RECORD, produced(wire, of(two)));
            // Time of the log's own, in a topic where it is the producer's.
            assertEquals(Errors.INVALID_TIMESTAMP, produced(wire, with(0x08)));
            assertEquals(Errors.NONE, produced(wire, with(0)));
        }
    }

    @Test
    void shouldRefuseAttributesThatOnlyTheLogSets() throws Exception {
        try (Wire wire = start(Map.of("cleanup.policy", "compact"))) {
            MemoryRecords tombstone = ForgedBatches.tombstone(Compression.NONE);
            MemoryRecords compressed = ForgedBatches.tombstone(Compression.gzip().build());
            for (int bit : ForgedBatches.BITS_OF_THE_LOG) {
                int forged = 1 << bit;
                for (int early : List.of(0, 0x08)) { // it is refused for its attributes first
                    var refused =
                            Asks.produced(
                                    wire,
                                    TOPIC,
                                    0,
                                    Asks.ALL,
                                    ForgedBatches.withAttributes(tombstone, forged | early));
                    assertEquals(Errors.INVALID_RECORD.code(), refused.errorCode(), "bit " + bit);
                    String found = String.format("0x%04X", forged | early);
                    assertTrue(refused.errorMessage().contains(found), refused.errorMessage());
                }
                assertEquals(
                        Errors.INVALID_RECORD,
                        produced(wire, ForgedBatches.withAttributes(compressed, forged | 1)));
            }
            assertEquals(Errors.NONE, produced(wire, tombstone));
            assertEquals(Errors.NONE, produced(wire, compressed));
        }
    }

    @Test
    void shouldSayWhichRecordsHaveATimestampThatIsNotAccepted() throws Exception {
        try (Wire wire = start(Map.of("message.timestamp.before.max.ms", "1000000"))) {
            long now = System.currentTimeMillis();
            SimpleRecord good = new SimpleRecord(now, null, new byte[1]);
            SimpleRecord early = new SimpleRecord(5, null, new byte[1]);
            SimpleRecord late = new SimpleRecord(2 * now, null, new byte[1]);
            for (SimpleRecord wrong : List.of(early, late)) {
                var refused =
                        Asks.produced(
                                wire,
                                TOPIC,
                                0,
                                Asks.ALL,
                                MemoryRecords.withRecords(
                                        Compression.NONE, good, wrong, good, wrong));
                assertEquals(Errors.INVALID_TIMESTAMP.code(), refused.errorCode());
                assertTrue(
                        refused.errorMessage().contains("message.timestamp.after.max.ms"),
                        refused.errorMessage());
                assertEquals(
                        List.of(1, 3),
                        refused.recordErrors().stream().map(each -> each.batchIndex()).toList());
                String why = refused.recordErrors().get(0).batchIndexErrorMessage();
                assertTrue(why.contains("message.timestamp.before.max.ms"), why);
            }
            var stamped = Asks.produced(wire, TOPIC, 0, Asks.ALL, with(0x08));
            assertTrue(stamped.errorMessage().contains("CreateTime"), stamped.errorMessage());
        }
    }

    @Test
    void shouldRefuseRecordsWithoutAKeyAndDeletionsWhereKeysDecide() throws Exception {
        try (Wire wire = start(Map.of("cleanup.policy", "compact"));
                Admin admin = running.admin()) {
            SimpleRecord keyed = new SimpleRecord(1, new byte[] {1}, new byte[300]);
            SimpleRecord keyless = new SimpleRecord(1, null, new byte[3]);
            MemoryRecords good = MemoryRecords.withRecords(Compression.NONE, keyed, keyed);
            MemoryRecords bad = MemoryRecords.withRecords(Compression.NONE, keyed, keyless);
            assertEquals(Errors.INVALID_RECORD, produced(wire, bad));
            assertEquals(Errors.NONE, produced(wire, good));
            KafkaFuture<Void> deleted =
                    admin.deleteRecords(
                                    Map.of(
                                            new TopicPartition(TOPIC, 0),
                                            RecordsToDelete.beforeOffset(1)))
                            .all();
            var refused = assertThrows(ExecutionException.class, () -> await(deleted));
            assertInstanceOf(PolicyViolationException.class, refused.getCause());
        }
    }

    /** A client that is told of an unknown topic waits for it to be created. */
    @Test
    void shouldSayThatATopicCannotBeRatherThanThatItIsNot() throws Exception {
        try (Wire wire = start(Map.of())) {
            for (String name : List.of("", "..", "a/b", "a b", "x".repeat(250))) {
                assertEquals(Errors.INVALID_TOPIC_EXCEPTION, metadata(wire, name), name);
            }
            assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, metadata(wire, "not-yet"));
        }
    }

    private static Errors metadata(Wire wire, String name) throws Exception {
        MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(false);
        request.topics().add(new MetadataRequestTopic().setName(name));
        MetadataResponseData answer =
                wire.ask(ApiKeys.METADATA, 9, request, new MetadataResponseData());
        return Errors.forCode(answer.topics().iterator().next().errorCode());
    }

    @Test
    void shouldKnowATimestampThatIsNoneFromTheVersionOnThatHasIt() throws Exception {
        try (Wire wire = start(Map.of())) {
            Map<Long, Integer> since = Map.of(-1L, 1, -2L, 1, -3L, 7, -4L, 8, -5L, 9, -6L, 11);
            for (Map.Entry<Long, Integer> each : since.entrySet()) {
                for (int version = 1; version <= 11; version++) {
                    Errors expected =
                            version < each.getValue() ? Errors.UNSUPPORTED_VERSION : Errors.NONE;
                    String what = each.getKey() + " in v" + version;
                    assertEquals(expected, list(wire, version, each.getKey()), what);
                }
            }
            assertEquals(Errors.UNSUPPORTED_VERSION, list(wire, 11, -7));
        }
    }

    private static Errors list(Wire wire, int version, long timestamp) throws Exception {
        ListOffsetsRequestData request =
                new ListOffsetsRequestData()
                        .setReplicaId(-1)
                        .setTopics(
                                List.of(
                                        new ListOffsetsTopic()
                                                .setName(TOPIC)
                                                .setPartitions(
                                                        List.of(
                                                                new ListOffsetsPartition()
                                                                        .setTimestamp(
                                                                                timestamp)))));
        ListOffsetsResponseData answer =
                wire.ask(ApiKeys.LIST_OFFSETS, version, request, new ListOffsetsResponseData());
        return Errors.forCode(answer.topics().get(0).partitions().get(0).errorCode());
    }

    /** What cannot be changed is neither taken without effect nor reported wrongly. */
    @Test
    void shouldShowAndKeepTheDurabilityThatATopicReallyHas() throws Exception {
        try (Wire wire = start(Map.of("firn.durability", "written"));
                Admin admin = running.admin()) {
            assertEquals(Errors.NONE, produced(wire, Asks.batch(new byte[3])));
            ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, TOPIC);
            KafkaFuture<Void> changed =
                    admin.incrementalAlterConfigs(
                                    Map.of(
                                            topic,
                                            List.of(
                                                    new AlterConfigOp(
                                                            new ConfigEntry(
                                                                    "firn.durability", "durable"),
                                                            AlterConfigOp.OpType.SET))))
                            .all();
            var refused = assertThrows(ExecutionException.class, () -> await(changed));
            assertInstanceOf(InvalidConfigurationException.class, refused.getCause());
            assertTrue(refused.getMessage().contains("is written"), refused.getMessage());
            String shown =
                    admin.describeConfigs(List.of(topic))
                            .all()
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                            .get(topic)
                            .get("firn.durability")
                            .value();
            assertEquals("written", shown);
        }
        assertEquals(Durability.WRITTEN, running.store().openTopic(TOPIC).options().durability());
    }

    @Test
    void shouldSayHowMuchRoomThereIsWhereThatIsLimited() throws Exception {
        long capacity = 64 << 20;
        running = new Running(directory, Map.of(), Running.filesOf(capacity));
        running.createTopic(TOPIC, 1, Map.of());
        try (Wire wire = new Wire(running.server());
                Admin admin = running.admin()) {
            assertEquals(Errors.NONE, produced(wire, Asks.batch(new byte[3])));
            var room =
                    admin.describeLogDirs(List.of(1))
                            .allDescriptions()
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                            .get(1)
                            .values()
                            .iterator()
                            .next();
            assertEquals(capacity, room.totalBytes().getAsLong());
            assertTrue(room.usableBytes().getAsLong() < capacity);
            assertTrue(room.usableBytes().getAsLong() > capacity / 2);
        }
    }
}
