package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Cursor;
import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kafka's own consumers in groups. */
@FirstRunOnly
class GroupTest {
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 4;

    @TempDir Path directory;
    private Running running;

    @BeforeEach
    void start() throws Exception {
        running = new Running(directory);
        running.createTopic(TOPIC, PARTITIONS, Map.of());
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private void produce(int from, int to) {
        try (KafkaProducer<String, String> producer = running.producer(Map.of())) {
            for (int i = from; i < to; i++) {
                var unused =
                        producer.send(new ProducerRecord<>(TOPIC, i % PARTITIONS, null, "v" + i));
            }
        }
    }

    private KafkaConsumer<String, String> member(Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>();
        all.put("group.id", "readers");
        all.put("enable.auto.commit", false);
        all.put("session.timeout.ms", 2_000);
        all.put("heartbeat.interval.ms", 100);
        all.put("partition.assignment.strategy", RangeAssignor.class.getName());
        all.putAll(settings);
        KafkaConsumer<String, String> consumer = running.consumer(all);
        consumer.subscribe(List.of(TOPIC));
        return consumer;
    }

    private static Set<String> values(List<ConsumerRecord<String, String>> records) {
        Set<String> values = new TreeSet<>();
        records.forEach(record -> values.add(record.value()));
        return values;
    }

    @Test
    void shouldGoOnWhereTheGroupCommittedAlsoAfterARestart() throws Exception {
        produce(0, 100);
        try (KafkaConsumer<String, String> consumer = member(Map.of())) {
            assertEquals(100, values(Running.read(consumer, 100)).size());
            consumer.commitSync();
        }
        running.restart();
        produce(100, 150);
        try (KafkaConsumer<String, String> consumer = member(Map.of())) {
            Set<String> read = values(Running.read(consumer, 50));
            assertEquals(50, read.size());
            assertTrue(read.contains("v100"));
        }
    }

    @Test
    void shouldKeepACommitsMetadataAndGiveItsOffsetsToTheApplicationAsACursor() throws Exception {
        produce(0, 40);
        TopicPartition first = new TopicPartition(TOPIC, 0);
        try (KafkaConsumer<String, String> consumer =
                running.consumer(Map.of("group.id", "readers"))) {
            consumer.assign(List.of(first));
            consumer.commitSync(Map.of(first, new OffsetAndMetadata(7, "a note")));
        }
        running.restart();
        Cursor cursor = running.store().openTopic(TOPIC).cursor("readers");
        assertEquals(7, cursor.offset(0));
        assertEquals(-1, cursor.offset(1));
        try (Admin admin = running.admin()) {
            Map<TopicPartition, OffsetAndMetadata> found =
                    admin.listConsumerGroupOffsets("readers")
                            .partitionsToOffsetAndMetadata()
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            assertEquals(Map.of(first, new OffsetAndMetadata(7, "a note")), found);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {RangeAssignor.class, CooperativeStickyAssignor.class})
    void shouldShareThePartitionsAndTakeThemOverFromAMemberThatIsGone(Class<?> assignor)
            throws Exception {
        Map<String, Object> settings = Map.of("partition.assignment.strategy", assignor.getName());
        List<ConsumerRecord<String, String>> read = new ArrayList<>();
        KafkaConsumer<String, String> second = member(settings);
        try (KafkaConsumer<String, String> first = member(settings)) {
            Running.await(
                    "both to have two partitions",
                    () -> {
                        first.poll(Duration.ofMillis(20)).forEach(read::add);
                        second.poll(Duration.ofMillis(20)).forEach(read::add);
                        return first.assignment().size() == 2 && second.assignment().size() == 2;
                    });
            Set<TopicPartition> all = new java.util.HashSet<>(first.assignment());
            all.addAll(second.assignment());
            assertEquals(PARTITIONS, all.size());
            produce(0, 100);
            Running.await(
                    "100 records",
                    () -> {
                        first.poll(Duration.ofMillis(20)).forEach(read::add);
                        second.poll(Duration.ofMillis(20)).forEach(read::add);
                        return read.size() >= 100;
                    });
            assertEquals(100, values(read).size());
            first.commitSync();
            second.commitSync();
            second.close(CloseOptions.timeout(Duration.ofSeconds(5)));
            produce(100, 140);
            assertEquals(40, values(Running.read(first, 40)).size());
            assertEquals(PARTITIONS, first.assignment().size());
        }
    }

    @Test
    void shouldTakeOverFromAMemberThatStopsSendingHeartbeats() throws Exception {
        Map<String, Object> quiet = new HashMap<>();
        quiet.put("session.timeout.ms", 1_000);
        quiet.put("heartbeat.interval.ms", 100);
        quiet.put("max.poll.interval.ms", 1_000);
        KafkaConsumer<String, String> silent = member(quiet);
        try (KafkaConsumer<String, String> other = member(Map.of())) {
            Running.await(
                    "both to have two partitions",
                    () -> {
                        other.poll(Duration.ofMillis(20));
                        silent.poll(Duration.ofMillis(20));
                        return other.assignment().size() == 2 && silent.assignment().size() == 2;
                    });
            // It does not poll any more, so it is out after a second.
            Running.await(
                    "all partitions",
                    () -> {
                        other.poll(Duration.ofMillis(20));
                        return other.assignment().size() == PARTITIONS;
                    });
        } finally {
            silent.close(CloseOptions.timeout(Duration.ofSeconds(1)));
        }
    }

    @Test
    void shouldLetAStaticMemberComeBackWithoutARebalance() throws Exception {
        Map<String, Object> one = Map.of("group.instance.id", "one", "session.timeout.ms", 30_000);
        Map<String, Object> two = Map.of("group.instance.id", "two", "session.timeout.ms", 30_000);
        try (KafkaConsumer<String, String> second = member(two)) {
            KafkaConsumer<String, String> first = member(one);
            Running.await(
                    "both to have two partitions",
                    () -> {
                        first.poll(Duration.ofMillis(20));
                        second.poll(Duration.ofMillis(20));
                        return first.assignment().size() == 2 && second.assignment().size() == 2;
                    });
            int generation = second.groupMetadata().generationId();
            Set<TopicPartition> before = Set.copyOf(first.assignment());
            first.close();
            running.restart(); // and the group is written down
            try (KafkaConsumer<String, String> again = member(one)) {
                Running.await(
                        "the old partitions",
                        () -> {
                            again.poll(Duration.ofMillis(20));
                            second.poll(Duration.ofMillis(20));
                            return again.assignment().equals(before);
                        });
                assertEquals(generation, again.groupMetadata().generationId());
                assertEquals(generation, second.groupMetadata().generationId());
            }
        }
    }

    /**
     * A leader that finds no broker forgets the topics that it knows, and joins again when it looks
     * at them meanwhile, unless it is told not to.
     */
    @Test
    void shouldGoOnAfterARestartWithoutARebalance() throws Exception {
        try (KafkaConsumer<String, String> consumer =
                member(
                        Map.of(
                                "session.timeout.ms",
                                30_000,
                                "metadata.recovery.strategy",
                                "none"))) {
            produce(0, 20);
            assertEquals(20, values(Running.read(consumer, 20)).size());
            int generation = consumer.groupMetadata().generationId();
            running.restart();
            produce(20, 40);
            assertEquals(20, values(Running.read(consumer, 20)).size());
            consumer.commitSync();
            assertEquals(generation, consumer.groupMetadata().generationId());
        }
    }

    /** A member that is not there any more after a restart is waited for as long as any other. */
    @Test
    void shouldTakeOverFromAMemberThatDoesNotComeBackAfterARestart() throws Exception {
        int port = running.server().port();
        try (KafkaConsumer<String, String> stays = member(Map.of())) {
            Running.await(
                    "all partitions",
                    () -> {
                        stays.poll(Duration.ofMillis(20));
                        return stays.assignment().size() == PARTITIONS;
                    });
            KafkaConsumer<String, String> leaves = member(Map.of());
            Running.await(
                    "both to have two partitions",
                    () -> {
                        leaves.poll(Duration.ofMillis(20));
                        stays.poll(Duration.ofMillis(20));
                        return leaves.assignment().size() == 2 && stays.assignment().size() == 2;
                    });
            running.stop();
            leaves.close(CloseOptions.timeout(Duration.ZERO)); // nobody hears it
            running.start(port);
            Running.await(
                    "all partitions again",
                    () -> {
                        stays.poll(Duration.ofMillis(20));
                        return stays.assignment().size() == PARTITIONS;
                    });
            produce(0, 20);
            assertEquals(20, values(Running.read(stays, 20)).size());
        }
    }

    @Test
    void shouldDescribeListAndDeleteGroups() throws Exception {
        produce(0, 10);
        try (Admin admin = running.admin()) {
            try (KafkaConsumer<String, String> consumer = member(Map.of("client.id", "me"))) {
                Running.read(consumer, 10);
                consumer.commitSync();
                ConsumerGroupDescription described =
                        admin.describeConsumerGroups(List.of("readers"))
                                .all()
                                .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                                .get("readers");
                assertEquals(GroupState.STABLE, described.groupState());
                assertEquals("me", described.members().iterator().next().clientId());
                assertEquals(
                        PARTITIONS,
                        described
                                .members()
                                .iterator()
                                .next()
                                .assignment()
                                .topicPartitions()
                                .size());
                assertThrows(
                        ExecutionException.class,
                        () ->
                                admin.deleteConsumerGroups(List.of("readers"))
                                        .all()
                                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
            }
            assertEquals(
                    List.of("readers"),
                    admin.listGroups().all().get(Running.HANGS_AFTER_S, TimeUnit.SECONDS).stream()
                            .map(each -> each.groupId())
                            .toList());
            TopicPartition first = new TopicPartition(TOPIC, 0);
            admin.deleteConsumerGroupOffsets("readers", Set.of(first))
                    .all()
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            Map<TopicPartition, OffsetAndMetadata> left =
                    admin.listConsumerGroupOffsets("readers")
                            .partitionsToOffsetAndMetadata()
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            assertEquals(PARTITIONS - 1, left.size());
            admin.deleteConsumerGroups(List.of("readers"))
                    .all()
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            assertEquals(
                    0,
                    admin.listGroups().all().get(Running.HANGS_AFTER_S, TimeUnit.SECONDS).size());
        }
        assertEquals(List.of(), running.store().openTopic(TOPIC).cursorNames());
    }

    @Test
    void shouldKeepNothingOfAGroupWhoseOffsetsWereRefused() throws Exception {
        TopicPartition unknown = new TopicPartition(TOPIC, 100);
        try (Admin admin = running.admin()) {
            for (int i = 0; i < 3; i++) {
                String group = "beyond-" + i;
                Map<TopicPartition, OffsetAndMetadata> beyond =
                        Map.of(unknown, new OffsetAndMetadata(0));
                ExecutionException refused =
                        assertThrows(
                                ExecutionException.class,
                                () ->
                                        admin.alterConsumerGroupOffsets(group, beyond)
                                                .all()
                                                .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
                assertInstanceOf(UnknownTopicOrPartitionException.class, refused.getCause());
            }
            assertEquals(
                    0,
                    admin.listGroups().all().get(Running.HANGS_AFTER_S, TimeUnit.SECONDS).size());
        }
        assertEquals(List.of(), running.store().openTopic(TOPIC).cursorNames());
    }
}
