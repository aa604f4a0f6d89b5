package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Partition;
import io.firn.PartitionReader.TimestampedOffset;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one client can make the server do and remember; {@link Pentest} does the same at size. */
class BoundsTest {
    private static final String TOPIC = "orders";

    @TempDir Path directory;
    private Running running;

    private void start(Map<String, String> settings) throws Exception {
        running = new Running(directory, settings);
        running.createTopic(TOPIC, 1, Map.of());
    }

    @AfterEach
    void stop() {
        running.close();
    }

    // ---- one name many times

    @Test
    void shouldDescribeANodeOnceHoweverOftenItIsNamed() throws Exception {
        start(Map.of());
        DescribeConfigsRequestData request = new DescribeConfigsRequestData();
        for (int i = 0; i < 5_000; i++) {
            request.resources()
                    .add(
                            new DescribeConfigsResource()
                                    .setResourceType((byte) (i % 2 == 0 ? 4 : 2))
                                    .setResourceName(i % 2 == 0 ? "1" : TOPIC)
                                    .setConfigurationKeys(null));
        }
        try (Wire wire = new Wire(running.server())) {
            DescribeConfigsResponseData answer =
                    wire.ask(
                            ApiKeys.DESCRIBE_CONFIGS,
                            4,
                            request,
                            new DescribeConfigsResponseData());
            assertEquals(2, answer.results().size());
            answer.results().forEach(each -> assertTrue(each.configs().size() > 20));
        }
    }

    @Test
    void shouldDeleteOffsetsOnceHoweverOftenAPartitionIsNamed() throws Exception {
        start(Map.of());
        OffsetDeleteRequestTopic topic = new OffsetDeleteRequestTopic().setName(TOPIC);
        for (int i = 0; i < 20_000; i++) {
            topic.partitions().add(new OffsetDeleteRequestPartition().setPartitionIndex(i % 3));
        }
        OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId("readers");
        request.topics().add(topic);
        try (Wire wire = new Wire(running.server())) {
            assertEquals(Errors.NONE, commit(wire, "readers", TOPIC));
            var deleted =
                    wire.ask(ApiKeys.OFFSET_DELETE, 0, request, new OffsetDeleteResponseData())
                            .topics()
                            .find(TOPIC)
                            .partitions();
            assertEquals(3, deleted.size());
            assertEquals(Errors.NONE.code(), deleted.find(0).errorCode());
            assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), deleted.find(2).errorCode());
        }
        assertEquals(-1, running.store().openTopic(TOPIC).cursor("readers").offset(0));
    }

    /** As Kafka does. */
    @Test
    void shouldRefuseAPartitionThatASearchOfOffsetsNamesTwiceAndAnswerItOnce() throws Exception {
        start(Map.of());
        ListOffsetsTopic topic = new ListOffsetsTopic().setName(TOPIC);
        for (int partition : new int[] {0, 1, 0, 0}) {
            topic.partitions()
                    .add(new ListOffsetsPartition().setPartitionIndex(partition).setTimestamp(5));
        }
        ListOffsetsRequestData request =
                new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(topic));
        try (Wire wire = new Wire(running.server())) {
            var found =
                    wire.ask(ApiKeys.LIST_OFFSETS, 5, request, new ListOffsetsResponseData())
                            .topics()
                            .get(0)
                            .partitions();
            assertEquals(2, found.size());
            assertEquals(Errors.INVALID_REQUEST.code(), found.get(0).errorCode());
            assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), found.get(1).errorCode());
        }
    }

    @Test
    void shouldAnswerAFetchOfVeryManyUnknownIdsOneByOne() throws Exception {
        start(Map.of());
        FetchRequestData request = new FetchRequestData().setMaxWaitMs(60_000).setMinBytes(1);
        for (int i = 0; i < 10_000; i++) {
            request.topics()
                    .add(
                            new FetchTopic()
                                    .setTopicId(new Uuid(7, i))
                                    .setPartitions(List.of(new FetchPartition().setPartition(0))));
        }
        try (Wire wire = new Wire(running.server())) {
            FetchResponseData answer =
                    wire.ask(ApiKeys.FETCH, 13, request, new FetchResponseData());
            assertEquals(10_000, answer.responses().size());
            answer.responses()
                    .forEach(
                            each ->
                                    assertEquals(
                                            Errors.UNKNOWN_TOPIC_ID.code(),
                                            each.partitions().get(0).errorCode()));
        }
    }

    /** As Kafka does. */
    @Test
    void shouldAnswerAPartitionOnceThatAFetchNamesVeryOften() throws Exception {
        start(Map.of());
        List<FetchPartition> partitions = new ArrayList<>();
        IntStream.range(0, 5_000).forEach(i -> partitions.add(new FetchPartition()));
        partitions.add(new FetchPartition().setPartition(1));
        FetchRequestData request =
                new FetchRequestData()
                        .setTopics(
                                List.of(
                                        new FetchTopic()
                                                .setTopic(TOPIC)
                                                .setPartitions(partitions)));
        try (Wire wire = new Wire(running.server())) {
            var found =
                    wire.ask(ApiKeys.FETCH, Asks.FETCH, request, new FetchResponseData())
                            .responses()
                            .get(0)
                            .partitions();
            assertEquals(2, found.size());
            assertEquals(Errors.NONE.code(), found.get(0).errorCode());
            assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), found.get(1).errorCode());
        }
    }

    @Test
    void shouldDescribeAllTopicsWhenTheyHaveManyPartitions() throws Exception {
        start(Map.of());
        running.createTopic("many", 2_000, Map.of());
        try (Wire wire = new Wire(running.server())) {
            MetadataResponseData answer =
                    wire.ask(
                            ApiKeys.METADATA,
                            12,
                            new MetadataRequestData().setTopics(null),
                            new MetadataResponseData());
            Set<String> names = new HashSet<>();
            answer.topics().forEach(each -> names.add(each.name()));
            assertEquals(Set.of(TOPIC, "many"), names);
            assertEquals(2_000, answer.topics().find("many").partitions().size());
        }
    }

    // ---- requests that wait

    @Test
    void shouldReadTheRequestsOfOthersWhileLargeOnesWait() throws Exception {
        start(Map.of("queued.max.request.bytes", "200000"));
        List<FetchPartition> partitions = new ArrayList<>();
        IntStream.range(0, 1_500).forEach(i -> partitions.add(new FetchPartition()));
        FetchRequestData fetch =
                new FetchRequestData()
                        .setMaxWaitMs(600_000)
                        .setMinBytes(1)
                        .setTopics(
                                List.of(
                                        new FetchTopic()
                                                .setTopic(TOPIC)
                                                .setPartitions(partitions)));
        byte[] request = Wire.request(ApiKeys.FETCH, (short) Asks.FETCH, fetch);
        List<Wire> waiting = new ArrayList<>();
        try (Wire other = new Wire("127.0.0.2", running.server().port())) {
            for (int i = 0; i < 5; i++) {
                Wire wire = new Wire(running.server());
                waiting.add(wire);
                wire.send(request);
            }
            for (int i = 0; i < 100; i++) {
                other.ask(
                        ApiKeys.METADATA,
                        12,
                        new MetadataRequestData(),
                        new MetadataResponseData());
            }
        } finally {
            for (Wire wire : waiting) {
                wire.close();
            }
        }
        Running.await(
                "all to be given back", () -> running.server().metrics().getQueuedBytes() == 0);
    }

    // ---- what is remembered

    private static OffsetCommitRequestData commit(String group, String topic) {
        OffsetCommitRequestData commit =
                new OffsetCommitRequestData().setGroupId(group).setGenerationIdOrMemberEpoch(-1);
        commit.topics()
                .add(
                        new OffsetCommitRequestTopic()
                                .setName(topic)
                                .setPartitions(
                                        List.of(
                                                new OffsetCommitRequestPartition()
                                                        .setPartitionIndex(0)
                                                        .setCommittedOffset(0)
                                                        .setCommittedMetadata(""))));
        return commit;
    }

    private static Errors commit(Wire wire, String group, String topic) throws Exception {
        return Errors.forCode(
                wire.ask(
                                ApiKeys.OFFSET_COMMIT,
                                8,
                                commit(group, topic),
                                new OffsetCommitResponseData())
                        .topics()
                        .get(0)
                        .partitions()
                        .get(0)
                        .errorCode());
    }

    @Test
    void shouldForgetAGroupThatARequestHasOnlyMentioned() throws Exception {
        start(Map.of());
        try (Wire wire = new Wire(running.server())) {
            for (int i = 0; i < 100; i++) {
                assertEquals(
                        Errors.UNKNOWN_TOPIC_OR_PARTITION, commit(wire, "g" + i, "no-such-topic"));
            }
            assertEquals(0, running.server().metrics().getGroups());
            assertEquals(Errors.NONE, commit(wire, "g0", TOPIC));
            assertEquals(1, running.server().metrics().getGroups());
        }
    }

    @Test
    void shouldRememberGroupsOfOneAddressUpToItsShareAndStillThoseOfAnother() throws Exception {
        start(Map.of("firn.groups.max.bytes", "200000"));
        try (Wire wire = new Wire(running.server());
                Wire other = new Wire("127.0.0.2", running.server().port())) {
            int accepted = 0;
            while (commit(wire, "g" + accepted, TOPIC) == Errors.NONE) {
                accepted++;
                assertTrue(accepted < 1_000, "without a limit");
            }
            assertTrue(accepted > 10, accepted + " groups");
            assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, commit(wire, "one-more", TOPIC));
            assertEquals(Errors.NONE, commit(wire, "g0", TOPIC)); // it is known
            assertEquals(Errors.NONE, commit(other, "another", TOPIC));
        }
    }

    @Test
    void shouldGiveOutIdsWithLongNamesUpToALimit() throws Exception {
        start(Map.of("firn.groups.max.bytes", "1000000"));
        JoinGroupRequestData join =
                new JoinGroupRequestData()
                        .setGroupId("readers")
                        .setSessionTimeoutMs(1_000_000)
                        .setRebalanceTimeoutMs(1_000_000)
                        .setProtocolType("consumer")
                        .setMemberId("");
        join.protocols()
                .add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[8]));
        byte[] request = Wire.request(ApiKeys.JOIN_GROUP, (short) 4, join, "c".repeat(30_000));
        try (Wire wire = new Wire(running.server())) {
            int given = 0;
            Errors error = Errors.MEMBER_ID_REQUIRED;
            while (error == Errors.MEMBER_ID_REQUIRED) {
                assertTrue(given++ < 100, "without a limit");
                wire.send(request);
                error =
                        Errors.forCode(
                                wire.receive(ApiKeys.JOIN_GROUP, 4, new JoinGroupResponseData())
                                        .errorCode());
            }
            assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, error);
        }
    }

    // ---- large content in small batches

    @Test
    void shouldSearchABatchByTimestampWithoutHoldingItsContent() throws Exception {
        start(Map.of());
        MemoryRecords bomb =
                MemoryRecords.withRecords(
                        Compression.zstd().build(),
                        new SimpleRecord(1_000, null, new byte[100 << 20]),
                        new SimpleRecord(2_000, null, new byte[1]));
        try (Wire wire = new Wire(running.server())) {
            assertEquals(
                    Errors.NONE.code(), Asks.produced(wire, TOPIC, 0, Asks.ALL, bomb).errorCode());
        }
        Partition partition = running.store().openTopic(TOPIC).partition(0);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        TimestampedOffset found = partition.findTimestamp(1_500);
        TimestampedOffset latest = partition.findLatestTimestamp();
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertNotNull(found);
        assertEquals(1, found.offset());
        assertEquals(2_000, latest.timestampMs());
        assertTrue(allocated < (8 << 20), allocated + " bytes");
    }

    // ---- slow clients

    @Test
    void shouldServeAClientThatReadsSteadilyHoweverLongOneResponseTakes() throws Exception {
        start(
                Map.of(
                        "firn.write.stall.ms",
                        "1500",
                        "log.segment.bytes",
                        Integer.toString(64 << 20)));
        try (Wire wire = new Wire(running.server())) {
            for (int i = 0; i < 24; i++) {
                assertEquals(
                        Errors.NONE.code(),
                        Asks.produced(wire, TOPIC, 0, Asks.ALL, Asks.batch(new byte[1_000_000]))
                                .errorCode());
            }
            wire.send(
                    Wire.request(
                            ApiKeys.FETCH,
                            (short) Asks.FETCH,
                            Asks.fetch(TOPIC, 0, 0, 1 << 30).setMaxBytes(1 << 30)));
            ByteBuffer answer = wire.receiveSlowly(256 << 10, 50);
            assertTrue(answer.remaining() > 20_000_000, answer.remaining() + " bytes");
        }
    }
}
