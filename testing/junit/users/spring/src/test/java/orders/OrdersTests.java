package orders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.kafka.support.KafkaHeaders;

/** What holds with and without transactions, on any server. */
abstract class OrdersTests {
    @Autowired Orders orders;
    @Autowired Billing billing;

    @Value("${spring.kafka.bootstrap-servers}")
    String bootstrapServers;

    @Test
    void shouldBillAnOrder() {
        orders.place("alice", List.of("book", "pen"));
        await(
                "the invoices",
                () ->
                        values("invoices", "alice")
                                .equals(List.of("invoice for book", "invoice for pen")));
    }

    @Test
    void shouldMoveAnOrderThatCannotBeBilledToTheDeadLetterTopic() {
        int before = billing.attempts();
        orders.place("bob", List.of("unpayable"));
        await("the dead letter", () -> values("orders-dlt", "bob").equals(List.of("unpayable")));
        assertEquals(3, billing.attempts() - before);
        Header message =
                records("orders-dlt")
                        .get(0)
                        .headers()
                        .lastHeader(KafkaHeaders.DLT_EXCEPTION_MESSAGE);
        assertNotNull(message);
        String text = new String(message.value(), StandardCharsets.UTF_8);
        assertTrue(text.contains("no price for unpayable"), text);
        orders.place("bob", List.of("pen"));
        await("the next invoice", () -> values("invoices", "bob").contains("invoice for pen"));
    }

    final void shouldRefuse(String customer, List<String> items) {
        assertThrows(IllegalArgumentException.class, () -> orders.place(customer, items));
    }

    final List<String> values(String topic, String key) {
        return records(topic).stream()
                .filter(each -> each.key().equals(key))
                .map(ConsumerRecord::value)
                .toList();
    }

    /** All that is committed in a topic now. */
    private List<ConsumerRecord<String, String>> records(String topic) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                bootstrapServers,
                                "isolation.level",
                                "read_committed",
                                "auto.offset.reset",
                                "earliest"),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            List<TopicPartition> all =
                    consumer.partitionsFor(topic).stream()
                            .map(each -> new TopicPartition(topic, each.partition()))
                            .toList();
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            consumer.assign(all);
            consumer.seekToBeginning(all);
            while (all.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
                consumer.poll(Duration.ofMillis(20)).forEach(records::add);
            }
        }
        return records;
    }

    static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, what);
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                throw new IllegalStateException(what, e);
            }
        }
    }
}
