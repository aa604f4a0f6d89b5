package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConfigResourcesOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ElectionNotNeededException;
import org.apache.kafka.common.errors.InvalidRegularExpression;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.errors.LogDirNotFoundException;
import org.apache.kafka.common.errors.NoReassignmentInProgressException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.message.ListConfigResourcesResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What tools ask about replicas, leaders, directories and the quorum of a cluster of one node. */
class OneNodeAdminTest {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 1);
    private static final TopicPartition ABSENT = new TopicPartition("absent", 0);

    @TempDir Path directory;
    private Running running;
    private Admin admin;

    @BeforeEach
    void start() throws Exception {
        running = new Running(directory);
        running.createTopic("orders", 2, Map.of());
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

    @Test
    void shouldSayThatNoReassignmentIsInProgress() throws Exception {
        assertEquals(Map.of(), get(admin.listPartitionReassignments().reassignments()));
        assertEquals(
                Map.of(),
                get(admin.listPartitionReassignments(Set.of(ORDERS, ABSENT)).reassignments()));
    }

    @Test
    void shouldAcceptAReassignmentToTheNodeItselfAndRefuseOthers() throws Exception {
        var to =
                Map.of(
                        ORDERS,
                        Optional.of(new NewPartitionReassignment(List.of(1))),
                        new TopicPartition("orders", 0),
                        Optional.of(new NewPartitionReassignment(List.of(2))),
                        ABSENT,
                        Optional.of(new NewPartitionReassignment(List.of(1))));
        var results = admin.alterPartitionReassignments(to).values();
        get(results.get(ORDERS));
        assertRefused(
                InvalidReplicaAssignmentException.class,
                results.get(new TopicPartition("orders", 0)));
        assertRefused(UnknownTopicOrPartitionException.class, results.get(ABSENT));
        assertRefused(
                NoReassignmentInProgressException.class,
                admin.alterPartitionReassignments(Map.of(ORDERS, Optional.empty()))
                        .values()
                        .get(ORDERS));
    }

    @Test
    void shouldSayThatNoElectionIsNeeded() throws Exception {
        for (ElectionType type : ElectionType.values()) {
            var results = get(admin.electLeaders(type, Set.of(ORDERS, ABSENT)).partitions());
            assertInstanceOf(ElectionNotNeededException.class, results.get(ORDERS).get());
            assertInstanceOf(UnknownTopicOrPartitionException.class, results.get(ABSENT).get());
            assertEquals(Map.of(), get(admin.electLeaders(type, null).partitions()));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldAnswerElectionsOfEachVersion(int version) throws Exception {
        ElectLeadersRequestData request =
                new ElectLeadersRequestData()
                        .setTopicPartitions(
                                new ElectLeadersRequestData.TopicPartitionsCollection());
        request.topicPartitions()
                .add(
                        new ElectLeadersRequestData.TopicPartitions()
                                .setTopic("orders")
                                .setPartitions(List.of(0, 5)));
        try (Wire wire = new Wire(running.server())) {
            ElectLeadersResponseData answer =
                    wire.ask(
                            ApiKeys.ELECT_LEADERS,
                            version,
                            request,
                            new ElectLeadersResponseData());
            var results = answer.replicaElectionResults().get(0).partitionResult();
            assertEquals(Errors.ELECTION_NOT_NEEDED.code(), results.get(0).errorCode());
            assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), results.get(1).errorCode());
        }
    }

    @Test
    void shouldMoveReplicasOnlyToTheDirectoryThatTheyAreIn() throws Exception {
        String here =
                get(admin.describeLogDirs(List.of(1)).allDescriptions())
                        .get(1)
                        .keySet()
                        .iterator()
                        .next();
        TopicPartitionReplica replica = new TopicPartitionReplica("orders", 1, 1);
        TopicPartitionReplica absent = new TopicPartitionReplica("absent", 0, 1);
        var results = admin.alterReplicaLogDirs(Map.of(replica, here, absent, here)).values();
        get(results.get(replica));
        assertRefused(UnknownTopicOrPartitionException.class, results.get(absent));
        assertRefused(
                LogDirNotFoundException.class,
                admin.alterReplicaLogDirs(Map.of(replica, here + "/other")).all());
    }

    @Test
    void shouldDescribeAQuorumOfOneNode() throws Exception {
        QuorumInfo quorum = get(admin.describeMetadataQuorum().quorumInfo());
        assertEquals(1, quorum.leaderId());
        assertEquals(1, quorum.voters().size());
        assertEquals(1, quorum.voters().get(0).replicaId());
        assertEquals(quorum.highWatermark(), quorum.voters().get(0).logEndOffset());
        assertEquals(List.of(), quorum.observers());
        assertEquals(Set.of(1), quorum.nodes().keySet());
        assertEquals(running.server().port(), quorum.nodes().get(1).endpoints().get(0).port());
    }

    @Test
    void shouldListWhatCanBeConfigured() throws Exception {
        TreeSet<String> shown = new TreeSet<>();
        get(admin.listConfigResources().all())
                .forEach(each -> shown.add(each.type() + " " + each.name()));
        assertEquals(new TreeSet<>(Set.of("BROKER 1", "BROKER_LOGGER 1", "TOPIC orders")), shown);
        assertEquals(
                List.of(new ConfigResource(ConfigResource.Type.TOPIC, "orders")),
                List.copyOf(
                        get(
                                admin.listConfigResources(
                                                Set.of(ConfigResource.Type.TOPIC),
                                                new ListConfigResourcesOptions())
                                        .all())));
    }

    @Test
    void shouldListNoClientMetricsToClientsThatAskForNothingElse() throws Exception {
        try (Wire wire = new Wire(running.server())) {
            ListConfigResourcesResponseData answer =
                    wire.ask(
                            ApiKeys.LIST_CONFIG_RESOURCES,
                            0,
                            new ListConfigResourcesRequestData(),
                            new ListConfigResourcesResponseData());
            assertEquals(0, answer.errorCode());
            assertTrue(answer.configResources().isEmpty());
        }
    }

    @Test
    void shouldListTransactionsWhoseWholeNamesMatchAPattern() throws Exception {
        for (String name : List.of("pay-1", "pay-22", "repay-1")) {
            try (var producer = running.producer(Map.of("transactional.id", name))) {
                producer.initTransactions();
            }
        }
        assertEquals(Set.of("pay-1", "pay-22"), list("pay-\\d+"));
        assertEquals(Set.of(), list("pay"));
        assertEquals(Set.of("pay-1", "pay-22", "repay-1"), list(""));
    }

    private Set<String> list(String pattern) throws Exception {
        Set<String> names = new TreeSet<>();
        for (TransactionListing each :
                get(
                        admin.listTransactions(
                                        new ListTransactionsOptions()
                                                .filterOnTransactionalIdPattern(pattern))
                                .all())) {
            names.add(each.transactionalId());
        }
        return names;
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "(a)\\1", "a{1001}", "(((a{9}){99}){99}){99}"})
    void shouldRefuseAPatternThatIsNoneOrTooLarge(String pattern) {
        ExecutionException e = assertThrows(ExecutionException.class, () -> list(pattern));
        assertInstanceOf(InvalidRegularExpression.class, e.getCause());
    }

    @Test
    void shouldMatchAPatternThatWouldTakeAJdkForEver() throws Exception {
        String name = "a".repeat(60);
        try (var producer = running.producer(Map.of("transactional.id", name))) {
            producer.initTransactions();
        }
        assertEquals(Set.of(), list("(a|a)*(a*)*b"));
    }
}
