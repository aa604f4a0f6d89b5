package io.firn.server;

import static io.firn.server.security.Right.ALTER_NODE_CONFIGS;
import static io.firn.server.security.Right.COMMIT_IN_TRANSACTION_GROUP;
import static io.firn.server.security.Right.CREATED_CONFIGS;
import static io.firn.server.security.Right.CREATE_TOPICS;
import static io.firn.server.security.Right.DELETE_TOPICS;
import static io.firn.server.security.Right.DELETE_TOPIC_NAME;
import static io.firn.server.security.Right.DESCRIBE_NODE_CONFIGS;
import static io.firn.server.security.Right.DESCRIBE_TRANSACTION_TOPIC;
import static io.firn.server.security.Right.EPOCHS_OF_ALL;
import static io.firn.server.security.Right.FETCH_AS_REPLICA;
import static io.firn.server.security.Right.FIND_TRANSACTION_COORDINATOR;
import static io.firn.server.security.Right.INIT_PRODUCER_ID_TO_WRITE;
import static io.firn.server.security.Right.INIT_TRANSACTIONS;
import static io.firn.server.security.Right.LIST_GROUP;
import static io.firn.server.security.Right.LIST_OFFSETS_AS_REPLICA;
import static io.firn.server.security.Right.LIST_TRANSACTION;
import static io.firn.server.security.Right.METADATA_CREATE;
import static io.firn.server.security.Right.METADATA_CREATE_ANY;
import static io.firn.server.security.Right.PRODUCE_IN_TRANSACTION;
import static io.firn.server.security.Right.REPLACE_NODE_CONFIGS;
import static io.firn.server.security.Right.WRITE_MARKERS_AS_BROKER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.help.GeneratedPart;
import io.firn.server.security.Right;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
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

    /** How a row goes on from those before it; "%s" is the operation and its resource. */
    private static final Map<Right, String> MORE =
            Map.ofEntries(
                    Map.entry(PRODUCE_IN_TRANSACTION, "; in a transaction also %s"),
                    Map.entry(FETCH_AS_REPLICA, "; with a replica id also %s"),
                    Map.entry(LIST_OFFSETS_AS_REPLICA, "; with a replica id also %s"),
                    Map.entry(EPOCHS_OF_ALL, ", or %s"),
                    Map.entry(METADATA_CREATE, "; to create the topic also %s"),
                    Map.entry(METADATA_CREATE_ANY, " or %s"),
                    Map.entry(INIT_PRODUCER_ID_TO_WRITE, ", or %s for any topic"),
                    Map.entry(INIT_TRANSACTIONS, "; with a transactional id %s instead"),
                    Map.entry(COMMIT_IN_TRANSACTION_GROUP, ", %s"),
                    Map.entry(WRITE_MARKERS_AS_BROKER, " or %s"),
                    Map.entry(DESCRIBE_TRANSACTION_TOPIC, "; to see its partitions %s"),
                    Map.entry(LIST_TRANSACTION, "%s for each"),
                    Map.entry(FIND_TRANSACTION_COORDINATOR, "; for transactions %s"),
                    Map.entry(LIST_GROUP, ", or %s for each"),
                    Map.entry(CREATE_TOPICS, " or %s"),
                    Map.entry(CREATED_CONFIGS, "; to see the configuration %s"),
                    Map.entry(DELETE_TOPIC_NAME, ", and %s if it is named by its name"),
                    Map.entry(DELETE_TOPICS, "; or %s"),
                    Map.entry(DESCRIBE_NODE_CONFIGS, "; for the node %s"),
                    Map.entry(ALTER_NODE_CONFIGS, "; for the node %s"),
                    Map.entry(REPLACE_NODE_CONFIGS, "; for the node %s"));

    /** APIs that need the same share a row. */
    @Test
    void shouldBeTheTableOfThePage() throws Exception {
        Map<ApiKeys, String> needs = new LinkedHashMap<>();
        Right.FREE.forEach(each -> needs.put(each, "nothing"));
        for (Right each : Right.values()) {
            String more = MORE.getOrDefault(each, needs.containsKey(each.api()) ? " and %s" : "%s");
            String right = each.operation() + " on " + each.resource();
            needs.merge(each.api(), String.format(more, right), String::concat);
        }
        Map<String, List<String>> rows = new LinkedHashMap<>();
        needs.forEach(
                (api, need) -> rows.computeIfAbsent(need, any -> new ArrayList<>()).add(api.name));
        StringBuilder table = new StringBuilder("| request | needs |\n|---|---|\n");
        rows.forEach(
                (need, apis) ->
                        table.append("| " + String.join(", ", apis) + " | " + need + " |\n"));
        GeneratedPart.check("docs/reference/acls.md", "rights", table.toString());
    }
}
