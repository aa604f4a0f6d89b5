package io.firn.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

@FirnKafka(
        topics = {"orders:3", "payments"},
        settings = "auto.create.topics.enable=false")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FirnKafkaTest {
    private FirnKafkaServer server;

    @BeforeEach
    void remember(FirnKafkaServer kafka) {
        server = kafka;
    }

    static void send(FirnKafkaServer kafka, String topic, String... values) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", kafka.bootstrapServers());
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (String each : values) {
                ProducerRecord<String, String> record =
                        new ProducerRecord<>(topic, 0, "key of " + each, each);
                record.headers().add("from", "a test".getBytes(StandardCharsets.UTF_8));
                producer.send(record).get();
            }
        }
    }

    /** Reads as a group does, until so many came, and commits. */
    static List<String> consume(FirnKafkaServer kafka, String topic, int count) {
        List<String> values = new ArrayList<>();
        Map<String, Object> settings =
                Map.of(
                        "bootstrap.servers", kafka.bootstrapServers(),
                        "group.id", "readers",
                        "auto.offset.reset", "earliest");
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (values.size() < count) {
                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(100))) {
                    values.add(each.value());
                }
            }
            consumer.commitSync();
        }
        return values;
    }

    @Test
    @Order(1)
    void shouldServeClientsOfKafka(FirnKafkaServer kafka) throws Exception {
        assertSame(server, kafka);
        send(kafka, "orders", "one", "two");
        assertEquals(List.of("one", "two"), consume(kafka, "orders", 2));

        List<ProducedRecord> records = kafka.records("orders");
        assertEquals("two", records.get(1).valueAsString());
        assertEquals("key of two", records.get(1).keyAsString());
        assertEquals(1, records.get(1).offset());
        assertEquals(
                "a test",
                new String(records.get(1).header("from").orElseThrow(), StandardCharsets.UTF_8));
        assertEquals(2, records.size());
        kafka.createTopic("another", 1);
    }

    @Test
    @Order(2)
    void shouldBeginEachTestWithTheTopicsOfTheAnnotation(FirnKafkaServer kafka) throws Exception {
        assertEquals(List.of("orders", "payments"), kafka.store().topicNames());
        assertEquals(3, kafka.store().openTopic("orders").partitionCount());
        assertTrue(kafka.records("orders").isEmpty());
        send(kafka, "orders", "three");
        // The group had committed offset 2 in the topic of the same name.
        assertEquals(List.of("three"), consume(kafka, "orders", 1));
    }

    @Nested
    class InAClassInside {
        @Test
        void shouldUseTheServerOfTheClassAround(FirnKafkaServer kafka) {
            assertSame(server, kafka);
        }
    }
}
