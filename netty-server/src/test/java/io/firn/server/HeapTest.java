package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.api.Waiting;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server process with a small heap, of 128 MiB. */
@FirstRunOnly
class HeapTest {
    private static final String TOPIC = "orders";
    private static final Map<String, String> SETTINGS =
            Map.of("group.initial.rebalance.delay.ms", "0");

    @TempDir Path directory;

    private static Errors commit(Wire wire, String group, String metadata) throws IOException {
        OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName(TOPIC);
        topic.partitions()
                .add(
                        new OffsetCommitRequestPartition()
                                .setPartitionIndex(0)
                                .setCommittedOffset(0)
                                .setCommittedMetadata(metadata));
        OffsetCommitRequestData request =
                new OffsetCommitRequestData()
                        .setGroupId(group)
                        .setGenerationIdOrMemberEpoch(-1)
                        .setTopics(List.of(topic));
        return Errors.forCode(
                wire.ask(ApiKeys.OFFSET_COMMIT, 8, request, new OffsetCommitResponseData())
                        .topics()
                        .get(0)
                        .partitions()
                        .get(0)
                        .errorCode());
    }

    private static String metadataOf(Wire wire, String group) throws IOException {
        OffsetFetchRequestData request =
                new OffsetFetchRequestData()
                        .setGroupId(group)
                        .setTopics(
                                List.of(
                                        new OffsetFetchRequestTopic()
                                                .setName(TOPIC)
                                                .setPartitionIndexes(List.of(0))));
        return wire.ask(ApiKeys.OFFSET_FETCH, 7, request, new OffsetFetchResponseData())
                .topics()
                .get(0)
                .partitions()
                .get(0)
                .metadata();
    }

    private static void createTopic(Wire wire) throws IOException {
        wire.ask(
                ApiKeys.METADATA,
                12,
                new MetadataRequestData()
                        .setAllowAutoTopicCreation(true)
                        .setTopics(List.of(new MetadataRequestTopic().setName(TOPIC))),
                new MetadataResponseData());
    }

    /** Adds 3 MB of metadata to the file of a group, as an earlier version has let it become. */
    private void enlarge(String group) throws IOException {
        Path file = directory.resolve("firn/server/groups/group-" + group);
        Map<String, String> values = new LinkedHashMap<>();
        values.putAll(SmallFile.read(FileMedium.real(), file, "group", 1));
        values.remove("owner");
        UUID deleted = UUID.randomUUID();
        for (int i = 0; i < 750; i++) {
            values.put("note." + deleted + "." + i, "m".repeat(4_096));
        }
        SmallFile.write(FileMedium.real(), file, "group", 1, values);
    }

    @Test
    void shouldServeWithMoreGroupFilesThanItsHeapAndLoadEachWhenItIsAskedFor() throws Exception {
        int groups = 45; // of 3 MB
        try (ServerProcess server = new ServerProcess(directory, SETTINGS)) {
            try (Wire wire = new Wire("127.0.0.1", server.port())) {
                createTopic(wire);
                for (int i = 0; i < groups; i++) {
                    assertEquals(Errors.NONE, commit(wire, "g" + i, "note " + i));
                }
            }
            server.kill();
            for (int i = 0; i < groups; i++) {
                enlarge("g" + i);
            }
            server.start();
            try (Wire wire = new Wire("127.0.0.1", server.port())) {
                for (int i = 0; i < groups; i++) {
                    assertEquals("note " + i, metadataOf(wire, "g" + i));
                }
                assertEquals(Errors.NONE, commit(wire, "new", "of a new group"));
                Set<String> listed = new HashSet<>();
                wire.ask(
                                ApiKeys.LIST_GROUPS,
                                3,
                                new ListGroupsRequestData(),
                                new ListGroupsResponseData())
                        .groups()
                        .forEach(each -> listed.add(each.groupId()));
                assertEquals(groups + 1, listed.size());
                DescribeGroupsRequestData describe = new DescribeGroupsRequestData();
                describe.setGroups(new ArrayList<>(listed));
                wire.ask(ApiKeys.DESCRIBE_GROUPS, 5, describe, new DescribeGroupsResponseData())
                        .groups()
                        .forEach(each -> assertEquals("Empty", each.groupState()));
                for (int i = 0; i < groups; i++) {
                    assertEquals(Errors.NONE, commit(wire, "g" + i, "less"), "g" + i);
                    assertEquals("less", metadataOf(wire, "g" + i));
                }
            }
        }
    }

    private void fillEverything(int clients, int seconds, int restarts, List<String> seen)
            throws Exception {
        try (ServerProcess server = new ServerProcess(directory, SETTINGS)) {
            for (int i = 0; i < restarts; i++) {
                Map<String, Integer> outcomes = new ConcurrentHashMap<>();
                long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
                new HeapAttacks(
                                server.port(),
                                outcome -> outcomes.merge(outcome, 1, Integer::sum),
                                () -> System.nanoTime() < endNs)
                        .fillAll(clients);
                for (String each : seen) {
                    assertTrue(outcomes.containsKey(each), each + " in " + outcomes);
                }
                check(server);
                server.kill();
                server.start();
                check(server);
            }
        }
    }

    /** A client that uses little is served. */
    private static void check(ServerProcess server) throws IOException {
        try (Wire wire = new Wire("127.0.0.2", server.port())) {
            createTopic(wire);
            check(wire);
        }
    }

    private static void check(Wire wire) throws IOException {
        assertEquals(Errors.NONE, commit(wire, "honest", "a note"));
        assertEquals("a note", metadataOf(wire, "honest"));
        assertEquals(
                Errors.NONE.code(),
                Asks.produced(wire, TOPIC, 0, Asks.ALL, Asks.batch(new byte[100])).errorCode());
    }

    /** Returns what a server uses of something, once it has said so. */
    private static long uses(ServerProcess server, String what) {
        Matcher found = Pattern.compile(" " + what + "=(\\d+)").matcher(server.uses());
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    /** Waits for a condition, and no longer than the server has memory and runs. */
    private static void await(ServerProcess server, BooleanSupplier condition) {
        Waiting.await(
                server::toString,
                () ->
                        !server.outOfMemory().isEmpty()
                                || !server.isAlive()
                                || condition.getAsBoolean());
        assertEquals(List.of(), server.outOfMemory());
        assertTrue(server.isAlive(), server::toString);
    }

    /** The application in the process of the server goes on reading. */
    private static void awaitReads(ServerProcess server) {
        await(server, () -> uses(server, "read") > 0);
        long before = uses(server, "read");
        await(server, () -> uses(server, "read") > before + 100);
    }

    @Test
    void shouldCompactReadAndStartAgainWhenAllThatClientsCanFillIsFull() throws Exception {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put("firn.write.stall.ms", "600000"); // so that what is held stays so
        try (ServerProcess server = new ServerProcess(ReadingServer.class, directory, settings);
                HeapFill heap = new HeapFill(server.port())) {
            try (Wire honest = new Wire("127.0.0.2", server.port())) {
                createTopic(honest);
                heap.createTopics();
                heap.fillTransactions();
                heap.fillNames();
                heap.fillGroups();
                heap.fillProducers();
                heap.fillPartitions();
                heap.fillReaders();
                heap.holdRequests();
                await(server, () -> uses(server, "queued") >= uses(server, "of"));
                heap.fillConnections();
                heap.fillCompaction(honest);
                while (!HeapFill.isCompacted(honest)) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                }
                awaitReads(server);
                HeapFill.checkPartitions(honest);
                check(honest);
            }
            server.kill();
            heap.release();
            server.start();
            check(server);
            awaitReads(server);
            heap.searchByTime();
            try (Wire honest = new Wire("127.0.0.2", server.port())) {
                HeapFill.checkPartitions(honest);
            }
            heap.checkNames();
            assertEquals(List.of(), server.outOfMemory());
        }
    }

    @Tag("slow")
    @Test
    void shouldServeOthersHoweverOftenEachLimitIsReachedBetweenRestarts() throws Exception {
        fillEverything(3, 20, 4, List.of("refused"));
    }
}
