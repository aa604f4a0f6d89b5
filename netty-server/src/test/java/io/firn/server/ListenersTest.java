package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.file.FileTier;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several listeners, and who may come by them. */
class ListenersTest {
    private static final Map<String, String> TWO =
            Map.of(
                    "listeners", "INSIDE://127.0.0.1:0,OUTSIDE://127.0.0.1:0",
                    "listener.security.protocol.map", "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT",
                    "advertised.listeners", "OUTSIDE://localhost:0");

    @TempDir Path directory;

    private static Node node(Running running, String listener) throws Exception {
        try (Admin admin = Admin.create(running.client(listener, Map.of()))) {
            var nodes =
                    admin.describeCluster().nodes().get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            assertEquals(1, nodes.size());
            return nodes.iterator().next();
        }
    }

    @Test
    void shouldTellClientsTheAddressOfTheListenerThatTheyCameBy() throws Exception {
        try (Running running = new Running(directory, TWO)) {
            Node inside = node(running, "INSIDE");
            Node outside = node(running, "OUTSIDE");
            assertEquals("127.0.0.1", inside.host());
            assertEquals("localhost", outside.host());
            assertNotEquals(inside.port(), outside.port());
            assertEquals(running.server().port(), inside.port());
            assertEquals(
                    "localhost:" + outside.port(), running.server().bootstrapServers("OUTSIDE"));
            assertThrows(
                    InvalidOptionException.class,
                    () -> running.server().bootstrapServers("NOWHERE"));
        }
    }

    @Test
    void shouldServeOneLogByAllListeners() throws Exception {
        try (Running running = new Running(directory, TWO)) {
            try (KafkaProducer<String, String> producer =
                    new KafkaProducer<>(
                            running.client("INSIDE", Map.of()),
                            new StringSerializer(),
                            new StringSerializer())) {
                producer.send(new ProducerRecord<>("orders", "first"))
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
            Map<String, Object> reader =
                    running.client(
                            "OUTSIDE", Map.of("auto.offset.reset", "earliest", "group.id", "g"));
            try (KafkaConsumer<String, String> consumer =
                    new KafkaConsumer<>(
                            reader, new StringDeserializer(), new StringDeserializer())) {
                consumer.subscribe(List.of("orders"));
                assertEquals("first", Running.read(consumer, 1).get(0).value());
            }
        }
    }

    @Test
    void shouldRefuseToLetInAnybodyOfOtherMachinesUnlessToldSo() throws Exception {
        try (LogStore store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("tier")))
                        .open()) {
            for (String each : List.of("PLAINTEXT://:0", "PLAINTEXT://0.0.0.0:0", "SSL://[::]:0")) {
                FirnServer.Builder server = FirnServer.of(store).set("listeners", each);
                InvalidOptionException e =
                        assertThrows(InvalidOptionException.class, server::start, each);
                assertTrue(e.getMessage().contains("firn.insecure.listeners=true"), e.getMessage());
            }
            try (FirnServer server =
                    FirnServer.of(store)
                            .set("listeners", "PLAINTEXT://0.0.0.0:0")
                            .set("firn.insecure.listeners", true)
                            .start()) {
                assertTrue(server.port() > 0);
            }
        }
    }
}
