package io.firn.shadow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.shadow.source.SourceTopic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a topic does while something cannot be written. */
class FollowedTopicTest {
    private static final String CLUSTER = "cluster";

    @TempDir Path directory;

    private final List<ShadowEvent> events = new ArrayList<>();
    private long nowMs;
    private LogStore store;
    private FollowedTopic topic;

    @BeforeEach
    void open() {
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("segments")))
                        .open();
        topic =
                new FollowedTopic(
                        new FollowContext(
                                store,
                                TopicOptions.defaults().withSegmentBytes(1 << 20),
                                OnDivergence.TRUNCATE,
                                OnGap.FILL,
                                events::add,
                                new FetchRate(FetchRate.UNLIMITED),
                                () -> nowMs,
                                100,
                                10_000),
                        "orders");
    }

    @AfterEach
    void close() {
        topic.close();
        store.close();
    }

    private static SourceTopic source(int id, int partitions) {
        Map<Integer, SourceTopic.Leader> leaders = new HashMap<>();
        for (int i = 0; i < partitions; i++) {
            leaders.put(i, new SourceTopic.Leader(1, 2));
        }
        return new SourceTopic("orders", new UUID(1, id), leaders);
    }

    private Path note() {
        return store.directory()
                .resolve("shadow")
                .resolve(store.openTopic("orders").id().toString());
    }

    private void assertStates(int partitions, FollowState state) {
        assertEquals(partitions, topic.statuses().size());
        for (PartitionStatus each : topic.statuses()) {
            assertEquals(state, each.state());
        }
    }

    @Test
    void shouldFinishWhatFailedAfterATopicWasCreatedAgain() throws IOException {
        topic.update(CLUSTER, source(1, 2));
        assertStates(2, FollowState.WAITING);
        Topic copy = store.openTopic("orders");
        copy.changeOptions(copy.options().withRetentionBytes(123 << 20));
        Path old = note();
        Files.delete(old);
        Path inTheWay = Files.createDirectories(old.resolve("file"));
        topic.update(CLUSTER, source(2, 3));
        assertFalse(store.hasTopic("orders"));
        assertStates(3, FollowState.RETRYING);
        assertEquals(List.of(), events);
        Files.delete(inTheWay);
        topic.retry(nowMs);
        assertFalse(store.hasTopic("orders"), "there is a pause");
        nowMs += 1000;
        topic.retry(nowMs);
        assertStates(3, FollowState.WAITING);
        assertEquals(
                OptionalLong.of(123 << 20), store.openTopic("orders").options().retentionBytes());
        assertEquals(1, events.size());
        assertEquals(ShadowEvent.Kind.RECREATED, events.get(0).kind());
        topic.update(CLUSTER, source(2, 3));
        assertEquals(1, events.size());
    }

    @Test
    void shouldPauseLongerAndLonger() throws IOException {
        Path inTheWay = Files.createFile(store.directory().resolve("shadow"));
        topic.update(CLUSTER, source(1, 1));
        String error = topic.statuses().get(0).lastError();
        assertTrue(error.contains("shadow"), error);
        for (int i = 0; i < 100; i++) {
            nowMs += 20_000;
            topic.retry(nowMs);
        }
        assertStates(1, FollowState.RETRYING);
        Files.delete(inTheWay);
        nowMs += 7_000;
        topic.retry(nowMs);
        topic.update(CLUSTER, source(1, 1));
        assertStates(1, FollowState.RETRYING);
        nowMs += 7_000;
        topic.retry(nowMs);
        assertStates(1, FollowState.WAITING);
    }

    @Test
    void shouldTellTheLeadersAlsoWhilePartitionsCannotBeAdded() {
        topic.update(CLUSTER, source(1, 1));
        try (ReplicaAppender other = otherAppenderOfPartition1()) {
            assertEquals(0, other.nextOffset());
            topic.update(CLUSTER, source(1, 2));
            assertEquals(FollowState.WAITING, topic.statuses().get(0).state());
            assertEquals(FollowState.RETRYING, topic.statuses().get(1).state());
            topic.followers().forEach(each -> assertEquals(1, each.leader()));
        }
        nowMs += 1000;
        topic.retry(nowMs);
        assertStates(2, FollowState.WAITING);
        assertEquals(2, topic.followers().size());
    }

    private ReplicaAppender otherAppenderOfPartition1() {
        Topic added = store.openTopic("orders");
        added.addPartitions(2);
        return HostedPartition.of(added.partition(1)).openReplicaAppender();
    }
}
