package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Partition;
import io.firn.RetainUntilRead;
import io.firn.Topic;
import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Retention that waits until groups of clients have read. */
@FirstRunOnly
class RetainUntilReadTest {
    private static final String READERS = "firn.retain.until.read";
    private static final String BYTES = "firn.unread.limit.bytes";
    private static final String MS = "firn.unread.limit.ms";
    private static final ConfigResource ORDERS =
            new ConfigResource(ConfigResource.Type.TOPIC, "orders");

    @TempDir Path directory;

    private static void produce(Running running, String topic) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = running.rawProducer(Map.of())) {
            for (int i = 0; i < 40; i++) { // several segments
                producer.send(new ProducerRecord<>(topic, new byte[100_000]))
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
        }
    }

    private static void commit(Admin admin, String group, long offset) throws Exception {
        admin.alterConsumerGroupOffsets(
                        group,
                        Map.of(new TopicPartition("orders", 0), new OffsetAndMetadata(offset)))
                .all()
                .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private static void change(Admin admin, AlterConfigOp... changes) throws Exception {
        admin.incrementalAlterConfigs(Map.of(ORDERS, List.of(changes)))
                .all()
                .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private static AlterConfigOp op(String name, String value, OpType type) {
        return new AlterConfigOp(new ConfigEntry(name, value), type);
    }

    private static String described(Admin admin, String name) throws Exception {
        return admin.describeConfigs(List.of(ORDERS))
                .all()
                .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                .get(ORDERS)
                .get(name)
                .value();
    }

    @Test
    void shouldDeleteNothingThatAGroupHasYetToRead() throws Exception {
        try (Running running = new Running(directory);
                Admin admin = running.admin()) {
            running.createTopic("orders", 1, Map.of("retention.bytes", "0", READERS, "risk,audit"));
            running.createTopic("others", 1, Map.of("retention.bytes", "0"));
            Partition orders = running.store().openTopic("orders").partition(0);
            Partition others = running.store().openTopic("others").partition(0);
            for (int round = 0; round < 2; round++) {
                commit(admin, "risk", orders.nextOffset()); // the other one has read nothing
                long before = others.logStartOffset();
                produce(running, "orders");
                produce(running, "others");
                Running.await("retention", () -> others.logStartOffset() > before);
                assertEquals(0, orders.logStartOffset());
            }

            commit(admin, "risk", 40);
            commit(admin, "audit", 30);

            Running.await("retention", () -> orders.logStartOffset() > 0);
            assertTrue(orders.logStartOffset() <= 30, () -> "from " + orders.logStartOffset());
        }
    }

    @Test
    void shouldChangeForWhomRetentionWaitsAndKeepItOverARestart() throws Exception {
        try (Running running = new Running(directory)) {
            running.createTopic("orders", 1, Map.of(READERS, "risk", BYTES, "5000"));
            try (Admin admin = running.admin()) {
                assertEquals("risk", described(admin, READERS));
                assertEquals(
                        RetainUntilRead.by("risk").withLimitBytes(5_000),
                        running.store().openTopic("orders").options().retainUntilRead());
                change(
                        admin,
                        op(READERS, "audit", OpType.APPEND),
                        op(BYTES, "", OpType.DELETE),
                        op(MS, "70", OpType.SET));
            }
            running.restart();
            try (Admin admin = running.admin()) {
                assertEquals("risk,audit", described(admin, READERS));
                assertEquals("-1", described(admin, BYTES));
                Topic orders = running.store().openTopic("orders");
                assertEquals(
                        RetainUntilRead.by("risk", "audit").withLimitAge(Duration.ofMillis(70)),
                        orders.options().retainUntilRead());
                change(admin, op(READERS, "*", OpType.SET), op(MS, "", OpType.DELETE));
                assertEquals(RetainUntilRead.byAll(), orders.options().retainUntilRead());
                change(admin, op(READERS, "", OpType.DELETE));
                assertEquals(RetainUntilRead.none(), orders.options().retainUntilRead());
                assertEquals("", described(admin, READERS));
            }
        }
    }

    @Test
    void shouldLeaveWhatTheApplicationChoseUntilAClientSetsIt() throws Exception {
        try (Running running = new Running(directory)) {
            running.createTopic("orders", 1, Map.of());
            Topic orders = running.store().openTopic("orders");
            RetainUntilRead chosen =
                    RetainUntilRead.by("risk", "a,b").withLimitAge(Duration.ofMillis(70));
            orders.changeOptions(orders.options().withRetainUntilRead(chosen));
            running.restart();
            try (Admin admin = running.admin()) {
                Topic served = running.store().openTopic("orders");
                assertEquals("70", described(admin, MS));

                change(admin, op("retention.ms", "5000", OpType.SET));
                assertEquals(chosen, served.options().retainUntilRead());
                change(admin, op(BYTES, "9", OpType.SET));
                assertEquals(chosen.withLimitBytes(9), served.options().retainUntilRead());
            }
        }
    }

    @Test
    void shouldRefuseReadersThatNoGroupCanBe() throws Exception {
        try (Running running = new Running(directory);
                Admin admin = running.admin()) {
            running.createTopic("orders", 1, Map.of());
            for (String wrong : List.of("risk,", "risk,risk", "risk,*", "a".repeat(121))) {
                ExecutionException e =
                        assertThrows(
                                ExecutionException.class,
                                () -> change(admin, op(READERS, wrong, OpType.SET)));
                assertEquals(InvalidConfigurationException.class, e.getCause().getClass());
                assertTrue(e.getMessage().contains("each once"), e.getMessage());
            }
        }
    }
}
