package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.server.LiveGroupRequests.Row;
import io.firn.sim.FirstRunOnly;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests about groups that have members get the answers that an Apache Kafka 4.4.0 broker gave.
 * The broker's answers are recorded; {@code bin/check kafka-tools --groups} asks a broker again.
 */
@FirstRunOnly
class LiveGroupRequestsTest {
    @TempDir Path directory;

    private static List<Row> script() throws Exception {
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(
                                Objects.requireNonNull(
                                        LiveGroupRequestsTest.class.getResourceAsStream(
                                                "/live-groups.txt")),
                                StandardCharsets.UTF_8))) {
            return LiveGroupRequests.rows(in.lines().toList());
        }
    }

    @Test
    void shouldAnswerRequestsAboutGroupsWithMembersAsKafkaDoes() throws Exception {
        List<Row> rows = script();
        assertTrue(rows.size() > 400, rows.size() + " requests");
        List<String> different = new ArrayList<>();
        try (Running running =
                        new Running(directory, Map.of("group.initial.rebalance.delay.ms", "0"));
                LiveGroupRequests server =
                        new LiveGroupRequests(running.server().bootstrapServers())) {
            server.prepare();
            for (Row row : rows) {
                String found = server.answer(row.request());
                if (!found.equals(row.firn())) {
                    different.add(row.request() + " | " + found + ", expected " + row.firn());
                }
            }
        }
        assertEquals(List.of(), different);
    }
}
