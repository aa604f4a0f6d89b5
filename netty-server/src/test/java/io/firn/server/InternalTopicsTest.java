package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Internal topics, and subscriptions by pattern, which leave them out. franz-go's TestConsumeRegex
 * waits for {@code __consumer_offsets} to be there and to be internal once a group was looked for.
 */
@FirstRunOnly
class InternalTopicsTest {
    private static final String OFFSETS = "__consumer_offsets";

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

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private void findCoordinator(int version) throws Exception {
        FindCoordinatorRequestData ask = new FindCoordinatorRequestData();
        if (version >= 4) {
            ask.setCoordinatorKeys(List.of("readers"));
        } else {
            ask.setKey("readers");
        }
        try (Wire wire = new Wire(running.server())) {
            wire.ask(ApiKeys.FIND_COORDINATOR, version, ask, new FindCoordinatorResponseData());
        }
    }

    /** The error and whether the topic is internal, as one text. */
    private String metadata(String topic) throws Exception {
        MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(false);
        request.topics().add(new MetadataRequestTopic().setName(topic));
        try (Wire wire = new Wire(running.server())) {
            var found =
                    wire.ask(ApiKeys.METADATA, 9, request, new MetadataResponseData())
                            .topics()
                            .iterator()
                            .next();
            return Errors.forCode(found.errorCode()) + " " + found.isInternal();
        }
    }

    @Test
    void shouldShowTheOffsetsTopicAsInternalOnceAGroupIsLookedFor() throws Exception {
        running.createTopic("orders", 1, Map.of());
        assertEquals("UNKNOWN_TOPIC_OR_PARTITION false", metadata(OFFSETS));
        findCoordinator(6);
        assertEquals("NONE true", metadata(OFFSETS));
        assertEquals("NONE false", metadata("orders"));
        running.restart();
        findCoordinator(2);
        try (Admin admin = running.admin()) {
            assertEquals(Set.of("orders"), get(admin.listTopics().names()));
            assertEquals(
                    Set.of("orders", OFFSETS),
                    get(admin.listTopics(new ListTopicsOptions().listInternal(true)).names()));
            assertTrue(
                    get(admin.describeTopics(List.of(OFFSETS)).allTopicNames())
                            .get(OFFSETS)
                            .isInternal());
            assertFalse(
                    get(admin.describeTopics(List.of("orders")).allTopicNames())
                            .get("orders")
                            .isInternal());
            get(admin.deleteTopics(List.of(OFFSETS)).all());
            findCoordinator(2);
            assertEquals("NONE true", metadata(OFFSETS));
        }
        assertEquals(0, running.store().metrics().tiers().get(0).usedBytes());
    }

    @Test
    void shouldFindTopicsByPatternAlsoNewOnesAndLeaveInternalOnesOut() throws Exception {
        running.createTopic("snow-1", 1, Map.of());
        running.createTopic("ice-1", 1, Map.of());
        Map<String, Object> settings = Map.of("group.id", "readers", "metadata.max.age.ms", "100");
        try (KafkaConsumer<String, String> consumer = running.consumer(settings);
                KafkaProducer<String, String> producer = running.producer(Map.of())) {
            consumer.subscribe(Pattern.compile("(snow|_).*"));
            Set<String> read = new TreeSet<>();
            produce(producer, "ice-1");
            produce(producer, "snow-1");
            await(consumer, read, Set.of("snow-1"));
            running.createTopic("snow-2", 2, Map.of());
            produce(producer, "snow-2");
            await(consumer, read, Set.of("snow-1", "snow-2"));
            Set<String> assigned = new TreeSet<>();
            consumer.assignment().forEach(each -> assigned.add(each.topic()));
            assertEquals(Set.of("snow-1", "snow-2"), assigned);
        }
    }

    private static void produce(KafkaProducer<String, String> producer, String topic)
            throws Exception {
        producer.send(new ProducerRecord<>(topic, "v"))
                .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private static void await(
            KafkaConsumer<String, String> consumer, Set<String> read, Set<String> expected) {
        Running.await(
                "records of " + expected,
                () -> {
                    consumer.poll(Duration.ofMillis(100)).forEach(each -> read.add(each.topic()));
                    return read.equals(expected);
                });
    }

    @Test
    void shouldRefuseRecordsForAnInternalTopic() throws Exception {
        findCoordinator(6);
        try (Wire wire = new Wire(running.server())) {
            var result = Asks.produced(wire, OFFSETS, 0, Asks.ALL, Asks.batch(new byte[3]));
            assertEquals(Errors.INVALID_TOPIC_EXCEPTION, Errors.forCode(result.errorCode()));
        }
        assertEquals(0, running.store().openTopic(OFFSETS).partition(0).nextOffset());
    }
}
