package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.firn.budget.HeapBudget;
import io.firn.server.config.ServerConfig;
import io.firn.server.wire.ServerLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a configuration lets clients fill the memory with. */
class MemoryPlanTest {
    private static final long HEAP = HeapBudget.heapBytes();

    @Test
    void shouldFitTogetherByDefault() {
        MemoryPlan plan = MemoryPlan.of(ServerConfig.defaults());
        plan.check(HEAP);
        assertEquals(List.of(), plan.warnings(HEAP, HEAP));
    }

    @Test
    void shouldWarnWithNumbersAboutWhatAnOperatorHasSetTooHigh() {
        MemoryPlan plan =
                MemoryPlan.of(
                        ServerConfig.of(
                                Map.of(
                                        "firn.groups.max.bytes",
                                        Long.toString(HEAP / 4),
                                        "socket.request.max.bytes",
                                        Long.toString(HEAP / 2))));
        plan.check(HEAP);
        List<String> warnings = plan.warnings(HEAP, HEAP);
        assertEquals(2, warnings.size(), warnings.toString());
        for (String each : warnings) {
            assertTrue(each.contains("firn.groups.max.bytes=" + HEAP / 4), each);
            assertTrue(each.contains((HEAP >> 20) + " MiB, more than 60 %"), each);
        }
        assertTrue(warnings.get(0).contains("-Xmx"), warnings.get(0));
        assertTrue(warnings.get(1).contains("-XX:MaxDirectMemorySize"), warnings.get(1));
    }

    @Test
    void shouldRefuseWhatDoesNotFitIntoTheHeapAtAll() {
        for (String key : List.of("firn.groups.max.bytes", "queued.max.request.bytes")) {
            ServerConfig config = ServerConfig.of(Map.of(key, Long.toString(HEAP)));
            InvalidOptionException refused =
                    assertThrows(InvalidOptionException.class, () -> FirnServer.check(config));
            assertTrue(refused.getMessage().contains(key + "=" + HEAP), refused.getMessage());
        }
    }

    /** Kafka's default, which a configuration may repeat. */
    @Test
    void shouldTakeKafkasUnlimitedConnectionsForAsManyAsTheHeapCanBear() {
        ServerConfig config = ServerConfig.of(Map.of("max.connections", "2147483647"));
        FirnServer.check(config);
        assertEquals(
                MemoryPlan.of(ServerConfig.defaults()).heapBytes(),
                MemoryPlan.of(config).heapBytes());
        assertEquals(
                ServerLimits.of(ServerConfig.defaults(), 1_000_000),
                ServerLimits.of(config, 1_000_000));
    }

    @Test
    void shouldBeTheTableOfTheSecurityPage() throws IOException {
        String page = Files.readString(Path.of("../SECURITY.md"));
        assertTrue(page.contains(HeapBudget.table()), "it should have:\n" + HeapBudget.table());
    }
}
