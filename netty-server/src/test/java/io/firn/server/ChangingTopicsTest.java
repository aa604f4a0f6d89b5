package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that run while topics change under them, or that want what a topic does not take. */
@FirstRunOnly
class ChangingTopicsTest {
    /** How soon a client looks again at what topics there are. */
    private static final Map<String, Object> LOOKS_OFTEN = Map.of("metadata.max.age.ms", 300);

    @TempDir Path directory;

    private static void produce(
            KafkaProducer<String, String> producer,
            String topic,
            int partition,
            List<String> values)
            throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (String value : values) {
            sent.add(producer.send(new ProducerRecord<>(topic, partition, null, value)));
        }
        for (Future<RecordMetadata> each : sent) {
            each.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    private static List<String> values(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    private static List<String> valuesOf(List<ConsumerRecord<String, String>> records) {
        return records.stream().map(ConsumerRecord::value).toList();
    }

    private static void delete(Running running, String topic) throws Exception {
        try (Admin admin = running.admin()) {
            admin.deleteTopics(List.of(topic)).all().get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldTakeInPiecesTheBatchThatWasTooLargeForTheTopic() throws Exception {
        try (Running running = new Running(directory)) {
            running.createTopic("narrow", 1, Map.of("max.message.bytes", "20000"));
            List<String> values =
                    IntStream.range(0, 300).mapToObj(i -> i + "x".repeat(1000)).toList();
            try (KafkaProducer<String, String> producer =
                    running.producer(Map.of("batch.size", 200_000, "linger.ms", 100))) {
                produce(producer, "narrow", 0, values);
            }
            try (KafkaConsumer<String, String> consumer = running.consumer(Map.of())) {
                TopicPartition partition = new TopicPartition("narrow", 0);
                consumer.assign(List.of(partition));
                consumer.seekToBeginning(List.of(partition));
                assertEquals(values, valuesOf(Running.read(consumer, values.size())));
            }
        }
    }

    @Test
    void shouldServeRunningClientsATopicThatWasCreatedAgain() throws Exception {
        // Otherwise the clients, which ask for it all the time, might create it first.
        Map<String, String> settings = Map.of("auto.create.topics.enable", "false");
        try (Running running = new Running(directory, settings)) {
            running.createTopic("melt", 1, Map.of());
            try (KafkaProducer<String, String> producer = running.producer(LOOKS_OFTEN);
                    KafkaConsumer<String, String> consumer = running.consumer(LOOKS_OFTEN)) {
                TopicPartition partition = new TopicPartition("melt", 0);
                consumer.assign(List.of(partition));
                consumer.seekToBeginning(List.of(partition));
                produce(producer, "melt", 0, values("first", 50));
                assertEquals(values("first", 50), valuesOf(Running.read(consumer, 50)));
                delete(running, "melt");
                running.createTopic("melt", 1, Map.of());
                produce(producer, "melt", 0, values("second", 10));
                assertEquals(values("second", 10), valuesOf(Running.read(consumer, 10)));
            }
        }
    }

    @Test
    void shouldForgetWhereAGroupStoodWhenItsTopicIsDeleted() throws Exception {
        try (Running running = new Running(directory)) {
            Map<String, Object> grouped = Map.of("group.id", "readers");
            for (String life : List.of("first", "second")) {
                running.createTopic("melt", 1, Map.of());
                try (KafkaProducer<String, String> producer = running.producer(Map.of());
                        KafkaConsumer<String, String> consumer = running.consumer(grouped)) {
                    produce(producer, "melt", 0, values(life, 20));
                    consumer.subscribe(List.of("melt"));
                    assertEquals(values(life, 20), valuesOf(Running.read(consumer, 20)));
                    consumer.commitSync();
                }
                delete(running, "melt");
            }
        }
    }

    @Test
    void shouldShowNewTopicsAndPartitionsToAGroupThatSubscribedToAPattern() throws Exception {
        try (Running running = new Running(directory)) {
            running.createTopic("snow-a", 1, Map.of());
            try (KafkaProducer<String, String> producer = running.producer(LOOKS_OFTEN);
                    KafkaConsumer<String, String> consumer =
                            running.consumer(Map.of("group.id", "g", "metadata.max.age.ms", 300))) {
                consumer.subscribe(Pattern.compile("snow-.*"));
                produce(producer, "snow-a", 0, List.of("a"));
                assertEquals(List.of("a"), valuesOf(Running.read(consumer, 1)));
                try (Admin admin = running.admin()) {
                    admin.createPartitions(Map.of("snow-a", NewPartitions.increaseTo(2)))
                            .all()
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
                }
                running.createTopic("snow-b", 1, Map.of());
                running.createTopic("rain", 1, Map.of());
                produce(producer, "rain", 0, List.of("not this"));
                produce(producer, "snow-a", 1, List.of("b"));
                produce(producer, "snow-b", 0, List.of("c"));
                Set<String> found = new TreeSet<>();
                Running.await(
                        "what is new",
                        () -> {
                            consumer.poll(Duration.ofMillis(100))
                                    .forEach(record -> found.add(record.value()));
                            return found.size() >= 2;
                        });
                assertEquals(Set.of("b", "c"), found);
            }
        }
    }

    @Test
    void shouldSayAtOnceThatThereAreNoGroupsOfTheNewerProtocol() throws Exception {
        try (Running running = new Running(directory)) {
            running.createTopic("snow", 1, Map.of());
            try (KafkaConsumer<String, String> consumer =
                    running.consumer(Map.of("group.id", "new", "group.protocol", "consumer"))) {
                consumer.subscribe(List.of("snow"));
                assertThrows(
                        UnsupportedVersionException.class,
                        () ->
                                Running.await(
                                        "a refusal",
                                        () -> !consumer.poll(Duration.ofSeconds(1)).isEmpty()));
            }
        }
    }
}
