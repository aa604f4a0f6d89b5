package io.firn.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.server.FirnServer;
import io.firn.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics of a store that no process has open, and of one that is served. */
class TopicsTest {
    @TempDir Path directory;

    private LogStore open() {
        return LogStore.at(directory).tier(FileTier.at(directory.resolve("segments"))).open();
    }

    private static void fine(Object... arguments) {
        Run run = Run.firn(arguments);
        assertEquals(Exit.FINE, run.exitCode(), run.toString());
    }

    @Test
    void shouldDoTheSameInAStoreAndOnAServer() throws Exception {
        open().close();
        String inStore = change("--store", directory.toString());

        Path served = directory.resolve("served");
        String onServer;
        try (LogStore store =
                        LogStore.at(served).tier(FileTier.at(served.resolve("segments"))).open();
                FirnServer server =
                        FirnServer.of(store)
                                .config(
                                        ServerConfig.of(
                                                Map.of(
                                                        "listeners",
                                                        "PLAINTEXT://127.0.0.1:0",
                                                        "log.dir",
                                                        served.toString())))
                                .start()) {
            onServer = change("--server", server.bootstrapServers());
        }

        assertEquals(inStore, onServer);
        assertEquals(
                """
                topic   partitions  offsets  bytes  config
                orders           3        0    0 B  retention.bytes=1000000
                """,
                inStore);
    }

    /** Returns what the list shows after changes of all kinds. */
    private String change(String where, String place) {
        fine(
                "topics",
                "create",
                where,
                place,
                "orders",
                "--partitions=2",
                "--config",
                "retention.ms=60000",
                "--config",
                "retention.bytes=1000000");
        fine("topics", "create", where, place, "trades");
        Run described = Run.firn("topics", "describe", where, place, "orders");
        assertTrue(described.out().contains("retention.ms=60000"), described.toString());
        fine(
                "topics",
                "alter",
                where,
                place,
                "orders",
                "--partitions=3",
                "--unset",
                "retention.ms");
        fine("topics", "delete", where, place, "trades");
        Run wrong = Run.firn("topics", "alter", where, place, "orders", "--config", "retention=1");
        assertEquals(Exit.MISUSED, wrong.exitCode(), wrong.toString());
        assertTrue(wrong.err().contains("retention"), wrong.toString());
        Run unknown = Run.firn("topics", "describe", where, place, "trades");
        assertEquals(Exit.MISUSED, unknown.exitCode(), unknown.toString());
        return Run.firn("topics", "list", where, place).out();
    }

    @Test
    void shouldShowOffsetsAndSizesBesideTheWriter() {
        try (LogStore store = open()) {
            try (Appender appender =
                    store.createTopic("orders", io.firn.TopicOptions.defaults())
                            .partition(0)
                            .openAppender()) {
                appender.append(new byte[1_000]);
            }
            Run run = Run.firn("topics", "describe", "--store", directory, "orders", "--json");
            assertTrue(
                    run.out()
                            .contains(
                                    "\"partitions\":[{\"partition\":0,\"start\":0,\"durable\":1,"
                                            + "\"next\":1,\"segments\":1,\"bytes\":10"),
                    run.toString());
        }
    }

    @Test
    void shouldRefuseToChangeAStoreThatIsOpenElsewhere() {
        try (LogStore store = open()) {
            Run run = Run.firn("topics", "create", "--store", directory, "orders");
            assertEquals(Exit.FAILED, run.exitCode(), run.toString());
            assertFalse(store.hasTopic("orders"));
        }
    }
}
