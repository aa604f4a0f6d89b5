package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.junit.CrashableStore;
import io.firn.junit.FirnKafka;
import io.firn.junit.FirnKafkaServer;
import io.firn.junit.FirnStore;
import io.firn.junit.ProducedRecord;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** Tests of an application that uses Kafka's clients, and of one that embeds a store. */
@FirnKafka(topics = "orders:3")
@FirnStore
class TestsWithFirnTest {

    @Test
    void shouldSendAnOrder(FirnKafkaServer kafka) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", kafka.bootstrapServers());
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>("orders", "alice", "1 book")).get();
        }

        ProducedRecord order = kafka.records("orders").get(0);
        assertEquals("alice", order.keyAsString());
        assertEquals("1 book", order.valueAsString());
    }

    @Test
    void shouldKeepAnOrderWhenThePowerIsCut(CrashableStore disk) {
        LogStore before = disk.store();
        before.ensureTopic("orders", TopicOptions.defaults())
                .partition(0)
                .openAppender()
                .append("1 book".getBytes(UTF_8));

        LogStore after = disk.powerCut();
        assertEquals(1, after.openTopic("orders").partition(0).nextOffset());
    }
}
