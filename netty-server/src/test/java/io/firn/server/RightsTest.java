package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.server.security.Right;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table of what each API needs. */
class RightsTest {
    @TempDir Path directory;

    @Test
    void shouldHaveARightForEachApiThatIsServedAndIsNotFree() throws Exception {
        Set<ApiKeys> served = EnumSet.noneOf(ApiKeys.class);
        try (Running running = new Running(directory, Map.of());
                Wire wire = new Wire(running.server())) {
            wire.ask(
                            ApiKeys.API_VERSIONS,
                            2,
                            new ApiVersionsRequestData(),
                            new ApiVersionsResponseData())
                    .apiKeys()
                    .forEach(each -> served.add(ApiKeys.forId(each.apiKey())));
        }
        Set<ApiKeys> known = EnumSet.copyOf(Right.FREE);
        for (Right each : Right.values()) {
            assertTrue(!Right.FREE.contains(each.api()), each.name());
            known.add(each.api());
        }
        assertEquals(served, known);
    }

    @Test
    void shouldBeTheTableOfThePage() throws Exception {
        List<String> lines = Files.readAllLines(Path.of("../docs/reference/acls.md"));
        for (Right each : Right.values()) {
            String operation = each.operation() + " on " + each.resource();
            assertTrue(
                    lines.stream()
                            .anyMatch(
                                    line ->
                                            line.matches(
                                                            "\\| (\\w+, )*"
                                                                    + each.api().name
                                                                    + "[, ].*")
                                                    && line.contains(operation)),
                    each.api().name + " needs " + operation);
        }
    }
}
