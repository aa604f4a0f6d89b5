package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of a server whose store has a topic that it cannot read. */
class UnreadableTopicTest {
    private static final ConfigResource ORDERS =
            new ConfigResource(ConfigResource.Type.TOPIC, "orders");

    @TempDir Path directory;

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private static void produce(Running running, String topic, Map<String, Object> settings)
            throws Exception {
        try (KafkaProducer<String, String> producer = running.producer(settings)) {
            producer.send(new ProducerRecord<>(topic, 0, null, "v"))
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldCreateNoTopicForAClientWhenATopicCannotBeRead() throws Exception {
        try (Running running = new Running(directory)) {
            running.createTopic("orders", 1, Map.of("retention.ms", "3600000"));
            running.createTopic("other", 1, Map.of());
            produce(running, "orders", Map.of());
            UUID id = running.store().openTopic("orders").id();
            Path topics = directory.resolve("store").resolve("topics");
            Path file = topics.resolve(id.toString()).resolve("topic");
            byte[] whole = Files.readAllBytes(file);
            byte[] damaged = whole.clone();
            damaged[damaged.length / 2] ^= 4;
            running.stop();
            Files.write(file, damaged);
            running.start(0);

            assertEquals(Set.of(id), running.store().unreadableTopics().keySet());
            try (Admin admin = running.admin()) {
                ExecutionException refusal =
                        assertThrows(
                                ExecutionException.class,
                                () ->
                                        get(
                                                admin.createTopics(
                                                                List.of(
                                                                        new NewTopic(
                                                                                "orders", 1,
                                                                                (short) 1)))
                                                        .all()));
                assertInstanceOf(KafkaStorageException.class, refusal.getCause());
                String told = refusal.getCause().getMessage();
                assertTrue(told.contains("server's log"), told);
                assertFalse(told.contains(directory.toString()), told);
                assertEquals(Set.of("other"), get(admin.listTopics().names()));
            }
            // The topic would be created for this one, were it not for the other.
            assertThrows(
                    ExecutionException.class,
                    () -> produce(running, "orders", Map.of("max.block.ms", 2_000)));
            assertEquals(List.of("other"), running.store().topicNames());
            produce(running, "other", Map.of());

            running.stop();
            Files.write(file, whole);
            running.start(0);
            try (Admin admin = running.admin();
                    KafkaConsumer<String, String> consumer = running.consumer(Map.of())) {
                Config config = get(admin.describeConfigs(List.of(ORDERS)).all()).get(ORDERS);
                assertEquals("3600000", config.get("retention.ms").value(), "it was kept");
                consumer.assign(List.of(new TopicPartition("orders", 0)));
                assertEquals("v", Running.read(consumer, 1).get(0).value());
            }
        }
    }
}
