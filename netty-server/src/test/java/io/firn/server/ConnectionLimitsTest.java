package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.server.config.ServerConfig;
import io.firn.server.wire.ServerLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The store needs descriptors, whatever clients open. */
class ConnectionLimitsTest {
    private static final ServerConfig DEFAULTS = ServerConfig.defaults();

    @Test
    void shouldLeaveHalfOfTheDescriptorsToTheStoreAndAQuarterOfTheRestToOtherAddresses() {
        assertConnections(150, 113, ServerLimits.of(DEFAULTS, 300));
        ServerConfig many = DEFAULTS.with("max.connections", 10_000);
        assertConnections(5_000, 3_750, ServerLimits.of(many, 10_000));
        int most = DEFAULTS.integer("max.connections"); // depends on the heap
        assertConnections(most, most - most / 4, ServerLimits.of(DEFAULTS, 1_000_000));
        assertConnections(150, 113, ServerLimits.of(DEFAULTS.with("max.connections", 200), 300));
    }

    private static void assertConnections(int all, int fromOneAddress, ServerLimits limits) {
        assertEquals(all, limits.connections());
        assertEquals(fromOneAddress, limits.connectionsPerAddress());
    }

    @Test
    void shouldUseWhatIsConfiguredAsFarAsThereAreDescriptors() {
        assertConnections(20, 20, ServerLimits.of(DEFAULTS.with("max.connections", 20), 300));
        assertConnections(
                20,
                5,
                ServerLimits.of(
                        ServerConfig.of(
                                Map.of("max.connections", "20", "max.connections.per.ip", "5")),
                        300));
    }

    /** Each file that is sent is open as long as it is mapped. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldLeaveDescriptorsToThoseWhoAppendWhenAClientReadsManyFiles(@TempDir Path directory)
            throws Exception {
        int read = 120;
        int more = 25;
        Map<String, String> settings = Map.of("log.segment.bytes", "262144");
        try (ServerProcess server = new ServerProcess(directory, settings, 700)) {
            create(server, "read", read);
            try (Wire wire = new Wire(server.port())) {
                append(wire, "read", read);
                append(wire, "read", read); // seals the first segment of each
                for (int i = 0; i < read; i++) {
                    assertEquals(0, Asks.fetched(wire, "read", i, 0).errorCode());
                    assertEquals(0, Asks.fetched(wire, "read", i, 1).errorCode());
                }
                Path descriptors = Path.of("/proc", Long.toString(server.pid()), "fd");
                int open = descriptors.toFile().list().length;
                assertTrue(open < 600, open + " descriptors are open");
                create(server, "more", more);
                append(wire, "more", more);
            }
        }
    }

    private static void create(ServerProcess server, String topic, int partitions)
            throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    private static void append(Wire wire, String topic, int partitions) throws Exception {
        for (int i = 0; i < partitions; i++) {
            var batch = Asks.batch(new byte[200_000]);
            assertEquals(0, Asks.produced(wire, topic, i, Asks.ALL, batch).errorCode());
        }
    }
}
