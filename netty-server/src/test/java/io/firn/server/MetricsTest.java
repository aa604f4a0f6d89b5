package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.server.config.ServerConfig;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator sees over JMX. */
class MetricsTest {
    private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();
    private static final String TOPIC = "snow";
    private static final int RECORD = 65_536;

    @TempDir Path directory;

    private ServerConfig twoTiers() {
        Map<String, String> settings = new HashMap<>();
        settings.put("log.dirs", directory.resolve("log").toString());
        settings.put(
                "storage.tiers", "file:" + directory.resolve("hot") + "@16000000,file:" + cold());
        settings.put("storage.migrate.threshold", "0.5");
        settings.put("log.segment.bytes", Integer.toString(1 << 20));
        return ServerConfig.of(settings);
    }

    private Path cold() {
        return directory.resolve("cold");
    }

    private static ObjectName name(String type, String name) throws Exception {
        return new ObjectName("io.firn:type=" + type + ",name=" + ObjectName.quote(name));
    }

    private static Object read(ObjectName bean, String attribute) {
        try {
            return BEANS.getAttribute(bean, attribute);
        } catch (javax.management.JMException e) {
            throw new IllegalStateException(attribute, e);
        }
    }

    private static long number(ObjectName bean, String attribute) {
        return ((Number) read(bean, attribute)).longValue();
    }

    private static Map<Object, Object> map(ObjectName bean, String attribute) {
        Map<Object, Object> map = new HashMap<>();
        for (Object row : ((TabularData) read(bean, attribute)).values()) {
            map.put(((CompositeData) row).get("key"), ((CompositeData) row).get("value"));
        }
        return map;
    }

    private static void produce(FirnServer server, int count) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", server.bootstrapServers()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (int i = 0; i < count; i++) {
                producer.send(new ProducerRecord<>(TOPIC, new byte[RECORD]))
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void shouldShowTheServerAndWhatTheMigratorMoves() throws Exception {
        ObjectName server;
        ObjectName migrator;
        try (Storage storage = Storage.open(twoTiers());
                FirnServer running =
                        FirnServer.of(storage.store()).config(twoTiers()).port(0).start()) {
            server = name("Server", running.bootstrapServers());
            migrator = name("Migrator", storage.store().directory().toString());
            assertEquals(true, read(migrator, "Running"));
            assertEquals(0, number(migrator, "MovedDown"));
            assertNull(read(migrator, "LastFailure"));
            int count = 200;
            produce(running, count);
            assertEquals((long) count, map(server, "NextOffsets").get(TOPIC + "-0"));
            assertTrue(number(server, "Requests") >= count);
            Running.await("a move", () -> number(migrator, "MovedDown") > 0);
            Running.await(
                    "all moves that are due",
                    () ->
                            number(migrator, "PendingMoves") == 0
                                    && map(migrator, "CopiedBytes").isEmpty());
            assertTrue(number(migrator, "MovedDownBytes") >= number(migrator, "MovedDown"));
            // The newest of them may have come back up meanwhile.
            Running.await(
                    "bytes for each move",
                    () -> number(migrator, "MovedUpBytes") >= number(migrator, "MovedUp"));
            assertEquals(0, number(migrator, "Failures"));
            assertEquals(Map.of(), map(migrator, "FailingMoves"));
        }
        assertFalse(BEANS.isRegistered(server));
        assertFalse(BEANS.isRegistered(migrator));
    }

    @Test
    void shouldShowHowFarCursorsAreBehind() throws Exception {
        try (Storage storage = Storage.open(twoTiers());
                FirnServer running =
                        FirnServer.of(storage.store()).config(twoTiers()).port(0).start()) {
            ObjectName server = name("Server", running.bootstrapServers());
            produce(running, 3);
            assertEquals(Map.of(), map(server, "CursorLagRecords"));

            storage.store().openTopic(TOPIC).cursor("reader").commit(0, 1);

            String cursor = TOPIC + "-0 reader";
            assertEquals(Map.of(cursor, 2L), map(server, "CursorLagRecords"));
            assertTrue((Long) map(server, "CursorLagBytes").get(cursor) > 2 * RECORD);
            assertTrue((Long) map(server, "CursorLagMs").get(cursor) >= 0);
        }
    }

    @Test
    void shouldShowWhichMovesFailAndWhy() throws Exception {
        try (Storage storage = Storage.open(twoTiers());
                FirnServer running =
                        FirnServer.of(storage.store()).config(twoTiers()).port(0).start()) {
            ObjectName migrator = name("Migrator", storage.store().directory().toString());
            produce(running, 1);
            // What is in the way of the topic's directory in the cold tier is a file.
            Path inTheWay = cold().resolve(storage.store().openTopic(TOPIC).id().toString());
            Files.write(inTheWay, new byte[0]);
            produce(running, 150);
            Running.await("a move that fails", () -> !map(migrator, "FailingMoves").isEmpty());
            Running.await("its count", () -> number(migrator, "Failures") > 0);
            List<Object> failing = List.copyOf(map(migrator, "FailingMoves").keySet());
            assertTrue(failing.get(0).toString().startsWith(TOPIC + "-0@"), failing.toString());
            Running.await("the reason", () -> read(migrator, "LastFailure") != null);
            assertTrue(read(migrator, "LastFailure").toString().contains(inTheWay.toString()));
            Files.delete(inTheWay);
            Running.await("a move", () -> number(migrator, "MovedDown") > 0);
        }
    }
}
