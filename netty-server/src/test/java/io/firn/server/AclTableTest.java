package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.server.security.Right;
import io.firn.sim.FirstRunOnly;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients with each right are answered as an Apache Kafka 4.4.0 broker has answered them. The
 * broker's answers are recorded; {@code bin/check kafka-tools --acls} asks a broker again.
 */
@FirstRunOnly
class AclTableTest {
    @TempDir Path directory;

    private static List<AclTable.Row> table() throws Exception {
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(
                                Objects.requireNonNull(
                                        AclTableTest.class.getResourceAsStream("/acl-table.txt")),
                                StandardCharsets.UTF_8))) {
            return AclTable.rows(in.lines().toList());
        }
    }

    @Test
    void shouldAnswerClientsWithEachRightAsKafkaDoes() throws Exception {
        List<AclTable.Row> rows = table();
        assertTrue(rows.size() > 2_000, rows.size() + " answers");
        try (Running running =
                new Running(
                        directory,
                        Map.of(
                                "listeners",
                                "SASL_PLAINTEXT://127.0.0.1:0",
                                "sasl.enabled.mechanisms",
                                "PLAIN",
                                "listener.name.sasl_plaintext.plain.sasl.jaas.config",
                                AclTable.jaas(),
                                "super.users",
                                "User:admin"))) {
            AclTable server = new AclTable(running.server().bootstrapServers());
            server.prepare();
            assertEquals(List.of(), AclTable.differences(rows, server.answers(), false));
        }
    }

    @Test
    void shouldAskWithEachApiThatNeedsARight() {
        Set<ApiKeys> asked = EnumSet.noneOf(ApiKeys.class);
        AclRequests.all().forEach(each -> asked.add(each.key()));
        for (Right each : Right.values()) {
            assertTrue(asked.contains(each.api()), each.name());
        }
    }
}
