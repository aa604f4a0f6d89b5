package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.TopicOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Topics whose names differ in dots and underscores only. */
@Timeout(60)
class CollidingNamesTest {
    @TempDir Path directory;
    private Running running;

    @BeforeEach
    void start() throws Exception {
        running = new Running(directory);
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private Set<String> topics() throws Exception {
        try (Admin admin = running.admin()) {
            return admin.listTopics().names().get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    private void produce(String topic) throws Exception {
        try (KafkaProducer<String, String> producer =
                running.producer(Map.of("max.block.ms", 30_000))) {
            producer.send(new ProducerRecord<>(topic, "v"))
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldRefuseToCreateATopicWhoseNameCollidesWithAnother() throws Exception {
        running.createTopic("a.b", 1, Map.of());
        Exception refused =
                assertThrows(Exception.class, () -> running.createTopic("a_b", 1, Map.of()));
        Throwable cause = refused instanceof ExecutionException ? refused.getCause() : refused;
        assertInstanceOf(InvalidTopicException.class, cause);
        assertTrue(cause.getMessage().contains("collides"), cause.getMessage());
        assertTrue(cause.getMessage().contains("'a.b'"), cause.getMessage());
        running.createTopic("ab", 1, Map.of());
        running.createTopic("a-b", 1, Map.of());
        assertEquals(Set.of("a.b", "ab", "a-b"), topics());
    }

    @Test
    void shouldCreateNoSuchTopicByItselfEither() throws Exception {
        produce("a_b");
        ExecutionException refused = assertThrows(ExecutionException.class, () -> produce("a.b"));
        assertInstanceOf(InvalidTopicException.class, refused.getCause());
        produce("a.c");
        assertEquals(Set.of("a_b", "a.c"), topics());
    }

    @Test
    void shouldServeWhatTheApplicationHasNamedAsItLikes() throws Exception {
        for (String name : List.of("a.b", "a_b")) {
            running.store().createTopic(name, TopicOptions.defaults().withSegmentBytes(1 << 20));
            produce(name);
        }
        assertEquals(Set.of("a.b", "a_b"), topics());
        running.restart();
        produce("a.b");
        produce("a_b");
        assertThrows(Exception.class, () -> running.createTopic("a.b", 1, Map.of()));
    }
}
