package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.FirstRunOnly;
import java.io.EOFException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDir;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitionsCollection;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that name the same thing very often, or things of one hash. Where Kafka's collections
 * compare each with each other, or more often, the answers to these come only after minutes.
 */
@FirstRunOnly
class ManyMentionsTest {
    /** Fewer than a reader of requests looks at. */
    private static final int MENTIONS = 4_000;

    private static final int FEW = 50;

    private static final Map<String, String> NO_RIGHTS =
            Map.of(
                    "authorizer.class.name",
                    "org.apache.kafka.metadata.authorizer.StandardAuthorizer");

    @TempDir Path directory;

    /** A topic that the test can add as often as it wants in little time. */
    private static final class Produced extends TopicProduceData {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static final class Added extends AddPartitionsToTxnTopic {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static ProduceRequestData producing(int topics) {
        ProduceRequestData request = new ProduceRequestData().setAcks((short) 1).setTimeoutMs(1);
        for (int i = 0; i < topics; i++) {
            request.topicData().add(new Produced().setName("t"));
        }
        return request;
    }

    /** Already when it is decoded, before anything can be answered. */
    @Test
    void shouldRefuseAProduceRequestThatNamesOneTopicVeryOften() throws Exception {
        try (Running running = new Running(directory, Map.of());
                Wire wire = new Wire(running.server());
                Wire other = new Wire(running.server())) {
            ProduceResponseData answer =
                    wire.ask(ApiKeys.PRODUCE, 9, producing(FEW), new ProduceResponseData());
            assertEquals(FEW, answer.responses().size());
            wire.send(Wire.request(ApiKeys.PRODUCE, (short) 9, producing(MENTIONS)));
            assertThrows(EOFException.class, wire::receive);
            other.ask(ApiKeys.PRODUCE, 9, producing(1), new ProduceResponseData());
        }
    }

    private static AddPartitionsToTxnRequestData adding(int topics, List<Integer> partitions) {
        AddPartitionsToTxnTopicCollection all = new AddPartitionsToTxnTopicCollection();
        for (int i = 0; i < topics; i++) {
            all.add(new Added().setName("t").setPartitions(partitions));
        }
        return new AddPartitionsToTxnRequestData()
                .setV3AndBelowTransactionalId("x")
                .setV3AndBelowProducerId(1)
                .setV3AndBelowTopics(all);
    }

    @Test
    void shouldRefuseARequestToAddOneTopicVeryOften() throws Exception {
        try (Running running = new Running(directory, Map.of());
                Wire wire = new Wire(running.server())) {
            AddPartitionsToTxnResponseData answer =
                    wire.ask(
                            ApiKeys.ADD_PARTITIONS_TO_TXN,
                            3,
                            adding(FEW, List.of()),
                            new AddPartitionsToTxnResponseData());
            assertEquals(FEW, answer.resultsByTopicV3AndBelow().size());
            wire.send(
                    Wire.request(
                            ApiKeys.ADD_PARTITIONS_TO_TXN, (short) 3, adding(MENTIONS, List.of())));
            assertThrows(EOFException.class, wire::receive);
        }
    }

    @Test
    void shouldRefuseToAddOnePartitionVeryOftenToWhoMayNot() throws Exception {
        try (Running running = new Running(directory, NO_RIGHTS);
                Wire wire = new Wire(running.server())) {
            AddPartitionsToTxnResponseData answer =
                    wire.ask(
                            ApiKeys.ADD_PARTITIONS_TO_TXN,
                            3,
                            adding(1, Collections.nCopies(100_000, 0)),
                            new AddPartitionsToTxnResponseData());
            var results = answer.resultsByTopicV3AndBelow().iterator().next().resultsByPartition();
            assertEquals(1, results.size());
            assertEquals(
                    Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code(),
                    results.iterator().next().partitionErrorCode());
        }
    }

    /** A name of letters of which each pair has one hash. */
    private static String oneHash(int number) {
        StringBuilder name = new StringBuilder();
        for (int bit = 0; bit < 18; bit++) {
            name.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        }
        return name.toString();
    }

    @Test
    void shouldRefuseMarkersForVeryManyTopicsOfOneHashToWhoMayNot() throws Exception {
        List<WritableTxnMarkerTopic> topics = new ArrayList<>();
        for (int i = 0; i < 64_000; i++) {
            topics.add(
                    new WritableTxnMarkerTopic()
                            .setName(oneHash(i))
                            .setPartitionIndexes(List.of(0)));
        }
        WriteTxnMarkersRequestData request =
                new WriteTxnMarkersRequestData()
                        .setMarkers(
                                List.of(
                                        new WritableTxnMarker()
                                                .setProducerId(1)
                                                .setTopics(topics)));
        try (Running running = new Running(directory, NO_RIGHTS);
                Wire wire = new Wire(running.server())) {
            WriteTxnMarkersResponseData answer =
                    wire.ask(
                            ApiKeys.WRITE_TXN_MARKERS,
                            1,
                            request,
                            new WriteTxnMarkersResponseData());
            var codes = new TreeSet<Short>();
            answer.markers()
                    .get(0)
                    .topics()
                    .forEach(each -> codes.add(each.partitions().get(0).errorCode()));
            assertEquals(topics.size(), answer.markers().get(0).topics().size());
            assertEquals(List.of(Errors.CLUSTER_AUTHORIZATION_FAILED.code()), List.copyOf(codes));
        }
    }

    @Test
    void shouldKeepNothingOfAGroupWhoseOffsetsCameFromNoProducer() throws Exception {
        try (Running running = new Running(directory, Map.of());
                Wire wire = new Wire(running.server())) {
            running.createTopic("t", 1, Map.of());
            for (int i = 0; i < 10; i++) {
                TxnOffsetCommitRequestData request =
                        new TxnOffsetCommitRequestData()
                                .setTransactionalId("nobody")
                                .setGroupId("g" + i)
                                .setProducerId(77)
                                .setTopics(
                                        List.of(
                                                new TxnOffsetCommitRequestTopic()
                                                        .setName("t")
                                                        .setPartitions(
                                                                List.of(
                                                                        new TxnOffsetCommitRequestPartition()
                                                                                .setPartitionIndex(
                                                                                        0)))));
                TxnOffsetCommitResponseData answer =
                        wire.ask(
                                ApiKeys.TXN_OFFSET_COMMIT,
                                3,
                                request,
                                new TxnOffsetCommitResponseData());
                assertEquals(
                        Errors.INVALID_PRODUCER_ID_MAPPING.code(),
                        answer.topics().get(0).partitions().get(0).errorCode());
            }
            try (var admin = running.admin()) {
                assertTrue(admin.listGroups().all().get().isEmpty());
            }
        }
    }

    private static final class Elected extends TopicPartitions {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static final class Directory extends AlterReplicaLogDir {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static final class Moved extends AlterReplicaLogDirTopic {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static final class Created extends CreatableTopic {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static final class Config extends CreatableTopicConfig {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static final class Assignment extends CreatableReplicaAssignment {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static final class Altered extends AlterConfigsResource {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static final class Entry extends AlterableConfig {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static CreatableTopic created(String name, int configs, int assignments) {
        CreatableTopic topic = new Created();
        topic.setName(name).setNumPartitions(-1).setReplicationFactor((short) -1);
        for (int i = 0; i < configs; i++) {
            topic.configs().add(new Config().setName("retention.ms").setValue("1000"));
        }
        for (int i = 0; i < assignments; i++) {
            topic.assignments().add(new Assignment().setPartitionIndex(0).setBrokerIds(List.of(1)));
        }
        return topic;
    }

    private static void assertRefused(Running running, ApiKeys key, int version, ApiMessage request)
            throws Exception {
        try (Wire wire = new Wire(running.server())) {
            wire.send(Wire.request(key, (short) version, request));
            assertThrows(EOFException.class, wire::receive, key + " " + version);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 7})
    void shouldRefuseToCreateOneTopicVeryOftenAndWithOneConfigOrPartitionVeryOften(int version)
            throws Exception {
        CreateTopicsRequestData topics = new CreateTopicsRequestData();
        for (int i = 0; i < MENTIONS; i++) {
            topics.topics().add(created("t", 0, 0));
        }
        CreateTopicsRequestData configs = new CreateTopicsRequestData();
        configs.topics().add(created("t", MENTIONS, 0));
        CreateTopicsRequestData partitions = new CreateTopicsRequestData();
        partitions.topics().add(created("t", 0, MENTIONS));
        CreateTopicsRequestData good = new CreateTopicsRequestData().setTimeoutMs(30_000);
        for (int i = 0; i < 300; i++) { // each has a config and a partition that others have
            good.topics().add(created("t" + i, 1, i % 2));
        }
        try (Running running = new Running(directory, Map.of());
                Wire wire = new Wire(running.server())) {
            for (CreateTopicsRequestData each : List.of(topics, configs, partitions)) {
                assertRefused(running, ApiKeys.CREATE_TOPICS, version, each);
            }
            CreateTopicsResponseData answer =
                    wire.ask(ApiKeys.CREATE_TOPICS, version, good, new CreateTopicsResponseData());
            assertEquals(300, answer.topics().size());
            answer.topics().forEach(each -> assertEquals(0, each.errorCode(), each.toString()));
        }
    }

    private static AlterConfigsResource altered(String name, int entries) {
        AlterConfigsResource resource = new Altered();
        resource.setResourceType((byte) 2).setResourceName(name);
        for (int i = 0; i < entries; i++) {
            resource.configs().add(new Entry().setName("retention.ms").setValue("1000"));
        }
        return resource;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldRefuseToAlterOneTopicVeryOftenAndOneConfigVeryOften(int version) throws Exception {
        IncrementalAlterConfigsRequestData topics = new IncrementalAlterConfigsRequestData();
        IncrementalAlterConfigsRequestData good = new IncrementalAlterConfigsRequestData();
        for (int i = 0; i < MENTIONS; i++) {
            topics.resources().add(altered("t", 0));
            good.resources().add(altered("t" + i, 1));
        }
        IncrementalAlterConfigsRequestData entries = new IncrementalAlterConfigsRequestData();
        entries.resources().add(altered("t", MENTIONS));
        try (Running running = new Running(directory, Map.of());
                Wire wire = new Wire(running.server())) {
            assertRefused(running, ApiKeys.INCREMENTAL_ALTER_CONFIGS, version, topics);
            assertRefused(running, ApiKeys.INCREMENTAL_ALTER_CONFIGS, version, entries);
            IncrementalAlterConfigsResponseData answer =
                    wire.ask(
                            ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                            version,
                            good,
                            new IncrementalAlterConfigsResponseData());
            assertEquals(MENTIONS, answer.responses().size());
        }
    }

    private static ElectLeadersRequestData electing(int topics) {
        ElectLeadersRequestData request =
                new ElectLeadersRequestData().setTopicPartitions(new TopicPartitionsCollection());
        for (int i = 0; i < topics; i++) {
            request.topicPartitions().add(new Elected().setTopic("t"));
        }
        return request;
    }

    private static AlterReplicaLogDirsRequestData moving(int directories, int topics) {
        AlterReplicaLogDirsRequestData request = new AlterReplicaLogDirsRequestData();
        for (int i = 0; i < directories; i++) {
            AlterReplicaLogDir directory = new Directory().setPath("d");
            for (int k = 0; k < topics; k++) {
                directory.topics().add(new Moved().setName("t"));
            }
            request.dirs().add(directory);
        }
        return request;
    }

    @Test
    void shouldRefuseToAskVeryOftenForOneTopic() throws Exception {
        try (Running running = new Running(directory, Map.of());
                Wire wire = new Wire(running.server())) {
            for (int version = 0; version <= 2; version++) {
                assertRefused(running, ApiKeys.ELECT_LEADERS, version, electing(MENTIONS));
            }
            for (int version = 1; version <= 2; version++) {
                assertRefused(
                        running, ApiKeys.ALTER_REPLICA_LOG_DIRS, version, moving(1, MENTIONS));
                assertRefused(
                        running, ApiKeys.ALTER_REPLICA_LOG_DIRS, version, moving(MENTIONS, 0));
            }
            ElectLeadersResponseData answer =
                    wire.ask(
                            ApiKeys.ELECT_LEADERS,
                            2,
                            electing(FEW),
                            new ElectLeadersResponseData());
            assertEquals(FEW, answer.replicaElectionResults().size());
        }
    }

    private static final class Described extends TopicRequest {
        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private static DescribeProducersRequestData describing(int topics) {
        DescribeProducersRequestData request = new DescribeProducersRequestData();
        for (int i = 0; i < topics; i++) {
            request.topics().add(new Described().setName("t").setPartitionIndexes(List.of(0)));
        }
        return request;
    }

    @Test
    void shouldRefuseToDescribeTheProducersOfOneTopicVeryOften() throws Exception {
        try (Running running = new Running(directory, Map.of());
                Wire wire = new Wire(running.server())) {
            // So few that their fields do not take time yet.
            assertRefused(running, ApiKeys.DESCRIBE_PRODUCERS, 0, describing(1_000));
            DescribeProducersResponseData answer =
                    wire.ask(
                            ApiKeys.DESCRIBE_PRODUCERS,
                            0,
                            describing(FEW),
                            new DescribeProducersResponseData());
            assertEquals(1, answer.topics().size());
        }
    }

    private static AlterConfigsResource tagged(String name, int entries) {
        AlterConfigsResource resource = new Altered();
        resource.setResourceType((byte) 2).setResourceName(name);
        for (int i = 0; i < entries; i++) {
            AlterableConfig entry = new Entry().setName("retention.ms").setValue("" + i);
            entry.unknownTaggedFields().add(new RawTaggedField(5_000, new byte[1]));
            resource.configs().add(entry);
        }
        return resource;
    }

    /** Tags of newer clients are ignored, and are no means to have names forgotten. */
    @Test
    void shouldCountNamesWithUnknownTagsBetweenThem() throws Exception {
        IncrementalAlterConfigsRequestData entries = new IncrementalAlterConfigsRequestData();
        entries.resources().add(tagged("t", MENTIONS));
        IncrementalAlterConfigsRequestData good = new IncrementalAlterConfigsRequestData();
        for (int i = 0; i < MENTIONS; i++) {
            good.resources().add(tagged("t" + i, 1));
        }
        try (Running running = new Running(directory, Map.of());
                Wire wire = new Wire(running.server())) {
            assertRefused(running, ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, entries);
            IncrementalAlterConfigsResponseData answer =
                    wire.ask(
                            ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                            1,
                            good,
                            new IncrementalAlterConfigsResponseData());
            assertEquals(MENTIONS, answer.responses().size());
        }
    }
}
