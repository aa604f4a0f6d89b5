package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.help.GeneratedPart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page of Kafka's APIs has those that the server advertises, and says why others are missing.
 */
class ApiPageTest {
    private static final String PAGE = "docs/reference/kafka-apis.md";

    @TempDir Path directory;

    @Test
    void shouldListWhatIsServedAndNameWhatIsNot() throws Exception {
        Map<String, String> rows = new TreeMap<>();
        Set<ApiKeys> others = EnumSet.allOf(ApiKeys.class);
        try (Running running = new Running(directory, Map.of());
                Wire wire = new Wire(running.server())) {
            wire.ask(
                            ApiKeys.API_VERSIONS,
                            2,
                            new ApiVersionsRequestData(),
                            new ApiVersionsResponseData())
                    .apiKeys()
                    .forEach(
                            each -> {
                                ApiKeys key = ApiKeys.forId(each.apiKey());
                                others.remove(key);
                                rows.put(
                                        key.name,
                                        String.format(
                                                "| %s | %d | %d to %d |",
                                                key.name,
                                                each.apiKey(),
                                                each.minVersion(),
                                                each.maxVersion()));
                            });
        }
        GeneratedPart.check(
                PAGE,
                "requests",
                "| request | key | versions |\n|---|---|---|\n" + String.join("\n", rows.values()));

        String page = Files.readString(Path.of("..", PAGE));
        String reasons = page.substring(page.indexOf("<!-- end -->"));
        List<String> unnamed = new ArrayList<>();
        for (ApiKeys each : others) {
            if (!reasons.matches("(?s).*\\b" + each.name + "\\b.*")) {
                unnamed.add(each.name);
            }
        }
        assertEquals(List.of(), unnamed, PAGE + " does not say why these are not served");
    }
}
