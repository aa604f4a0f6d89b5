package io.firn.shadow.lab;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.kafka.KafkaCluster;
import io.firn.shadow.FollowState;
import io.firn.shadow.OnDivergence;
import io.firn.shadow.OnGap;
import io.firn.shadow.Shadow;
import io.firn.shadow.ShadowEvent;
import io.firn.shadow.ShadowSnapshot;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A source that loses or replaces what was copied: what the shadow says, what it keeps, and what it
 * has when it may follow. Arguments: a directory. System properties as {@link ShadowKills}.
 */
public final class Divergences implements AutoCloseable {
    private final Path directory;
    private final KafkaCluster cluster;
    private final List<ShadowEvent> events = new CopyOnWriteArrayList<>();
    private LogStore store;

    private Divergences(Path directory) throws Exception {
        this.directory = directory;
        this.cluster =
                new KafkaCluster(
                        Files.createDirectories(directory.resolve("kafka")),
                        System.getProperty("firn.kafka.path"));
        openStore();
    }

    /** Runs it. */
    public static void main(String[] arguments) throws Exception {
        try (Divergences run = new Divergences(Path.of(arguments[0]))) {
            run.uncleanElection("unclean-running", 30, true);
            run.uncleanElection("unclean-stopped", 80, false);
            run.lostLog("lost");
            run.createdAgain("created-again");
            run.retention("retention");
            System.out.println("Everything was found and said.");
        }
        System.exit(0); // Kafka's clients may have threads that do not end soon
    }

    private void openStore() {
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("store").resolve("segments")))
                        .open();
    }

    private Shadow.Builder shadow(String topic) {
        Properties source = new Properties();
        source.setProperty("bootstrap.servers", cluster.bootstrapServers());
        source.setProperty("metadata.max.age.ms", "1000");
        events.clear();
        return Shadow.of(store, source).topics(topic).listener(events::add);
    }

    private void produce(String topic, int count, String text) throws Exception {
        Map<String, Object> settings = cluster.client();
        settings.put("batch.size", "0");
        settings.put("delivery.timeout.ms", "60000");
        settings.put("request.timeout.ms", "5000");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < count; i++) {
                byte[] value = (text + " " + i).getBytes(StandardCharsets.UTF_8);
                producer.send(new ProducerRecord<>(topic, 0, null, value)).get();
            }
        }
    }

    private long nextOffset(String topic) {
        return store.hasTopic(topic) ? store.openTopic(topic).partition(0).nextOffset() : 0;
    }

    private void awaitOffset(Shadow shadow, String topic, long offset) throws Exception {
        KafkaCluster.await(
                "offset " + offset + " of " + topic,
                () -> {
                    if (nextOffset(topic) > offset) {
                        throw new IllegalStateException("too far: " + shadow.snapshot());
                    }
                    return nextOffset(topic) == offset;
                });
    }

    private static void awaitState(Shadow shadow, FollowState state) throws Exception {
        KafkaCluster.await(
                state.toString(),
                () -> {
                    ShadowSnapshot now = shadow.snapshot();
                    return now.partitions().stream().anyMatch(each -> each.state() == state);
                });
    }

    private void require(ShadowEvent.Kind kind, long from, long to) {
        boolean isAsExpected =
                events.size() == 1
                        && events.get(0).kind() == kind
                        && events.get(0).fromOffset() == from
                        && events.get(0).toOffset() == to;
        if (!isAsExpected) {
            throw new IllegalStateException(
                    "expected " + kind + " from " + from + " to " + to + ", found " + events);
        }
        System.out.println("  said: " + kind + ": " + events.get(0).message());
    }

    /** Of the topic at the source and here. */
    private void requireSame(String topic) throws Exception {
        TopicPartition partition = new TopicPartition(topic, 0);
        KafkaCluster.await("a leader", () -> cluster.leader(partition) > 0);
        store.close();
        try (Comparison comparison = new Comparison(cluster, directory.resolve("store"))) {
            comparison.batches(partition);
            System.out.println("  then: " + comparison.figures());
        }
        openStore();
    }

    private void uncleanElection(String topic, int others, boolean isRunning) throws Exception {
        System.out.println(topic + ": 50 records are replaced by " + others);
        cluster.create(
                topic,
                List.of(1, 2),
                Map.of("unclean.leader.election.enable", "true", "min.insync.replicas", "1"));
        KafkaCluster.await("replicas", () -> cluster.isInSync(List.of(topic)));
        produce(topic, 100, "kept");
        Shadow shadow = shadow(topic).start();
        awaitOffset(shadow, topic, 100);
        cluster.kill(2);
        TopicPartition partition = new TopicPartition(topic, 0);
        KafkaCluster.await("one replica", () -> !cluster.isInSync(List.of(topic)));
        produce(topic, 50, "lost");
        awaitOffset(shadow, topic, 150);
        if (!isRunning) {
            shadow.close();
        }
        cluster.kill(1);
        cluster.start(2);
        KafkaCluster.await("an unclean leader", () -> cluster.leader(partition) == 2);
        produce(topic, others, "other");
        cluster.start(1);
        if (!isRunning) {
            shadow = shadow(topic).start();
        }
        awaitState(shadow, FollowState.DIVERGED);
        shadow.close();
        require(ShadowEvent.Kind.DIVERGED, 100, 150);
        if (nextOffset(topic) != 150) {
            throw new IllegalStateException("a copy that stopped keeps its records");
        }
        KafkaCluster.await("replicas", () -> cluster.isInSync(List.of(topic)));
        try (Shadow following = shadow(topic).onDivergence(OnDivergence.TRUNCATE).start()) {
            KafkaCluster.await("the end", () -> nextOffset(topic) == 100 + others);
            require(ShadowEvent.Kind.TRUNCATED, 100, 150);
            produce(topic, 10, "later");
            awaitOffset(following, topic, 110 + others);
        }
        requireSame(topic);
    }

    private void lostLog(String topic) throws Exception {
        System.out.println(topic + ": a broker loses the only log");
        cluster.create(topic, List.of(3), Map.of());
        produce(topic, 50, "lost");
        try (Shadow shadow = shadow(topic).start()) {
            awaitOffset(shadow, topic, 50);
            cluster.kill(3);
            CatchUp.delete(cluster.log(3, new TopicPartition(topic, 0)));
            cluster.start(3);
            awaitState(shadow, FollowState.DIVERGED);
        }
        require(ShadowEvent.Kind.DIVERGED, 0, 50);
        produce(topic, 20, "other");
        try (Shadow shadow = shadow(topic).onDivergence(OnDivergence.TRUNCATE).start()) {
            KafkaCluster.await("the end", () -> nextOffset(topic) == 20);
            require(ShadowEvent.Kind.TRUNCATED, 0, 50);
            awaitState(shadow, FollowState.FOLLOWING);
        }
        requireSame(topic);
    }

    private void createdAgain(String topic) throws Exception {
        System.out.println(topic + ": the topic is deleted and created again");
        cluster.create(topic, List.of(1, 2), Map.of());
        produce(topic, 50, "first");
        try (Shadow shadow = shadow(topic).start()) {
            awaitOffset(shadow, topic, 50);
            cluster.admin().deleteTopics(List.of(topic)).all().get();
            KafkaCluster.await(
                    "the deletion",
                    () -> !cluster.admin().listTopics().names().get().contains(topic));
            cluster.create(topic, List.of(2, 3), Map.of());
            produce(topic, 80, "second");
            awaitState(shadow, FollowState.DIVERGED);
        }
        require(ShadowEvent.Kind.RECREATED, -1, -1);
        if (nextOffset(topic) != 50) {
            throw new IllegalStateException("a copy that stopped keeps its records");
        }
        try (Shadow shadow = shadow(topic).onDivergence(OnDivergence.TRUNCATE).start()) {
            KafkaCluster.await("the end", () -> nextOffset(topic) == 80);
            require(ShadowEvent.Kind.RECREATED, -1, -1);
            awaitState(shadow, FollowState.FOLLOWING);
        }
        requireSame(topic);
    }

    private void retention(String topic) throws Exception {
        System.out.println(topic + ": 30 records are deleted before they are copied");
        cluster.create(topic, List.of(1, 2), Map.of());
        produce(topic, 50, "copied");
        try (Shadow shadow = shadow(topic).start()) {
            awaitOffset(shadow, topic, 50);
        }
        produce(topic, 50, "later");
        cluster.admin()
                .deleteRecords(
                        Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(80)))
                .all()
                .get();
        try (Shadow shadow = shadow(topic).onGap(OnGap.STOP).start()) {
            awaitState(shadow, FollowState.STOPPED);
        }
        require(ShadowEvent.Kind.GAP, 50, 80);
        try (Shadow shadow = shadow(topic).start()) {
            awaitOffset(shadow, topic, 100);
        }
        require(ShadowEvent.Kind.GAP, 50, 80);
    }

    @Override
    public void close() {
        store.close();
        cluster.close();
    }
}
