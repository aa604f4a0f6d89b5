package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.server.OddRequests.Row;
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
 * Administrative requests that are odd get the answers that an Apache Kafka 4.4.0 broker gave. The
 * broker's answers are recorded; {@code bin/check kafka-tools --odd} asks a broker again.
 */
@FirstRunOnly
class OddRequestsTest {
    @TempDir Path directory;

    private static List<Row> table() throws Exception {
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(
                                Objects.requireNonNull(
                                        OddRequestsTest.class.getResourceAsStream(
                                                "/odd-requests.txt")),
                                StandardCharsets.UTF_8))) {
            return OddRequests.rows(in.lines().toList());
        }
    }

    @Test
    void shouldAnswerOddRequestsAsKafkaDoes() throws Exception {
        List<Row> rows = table();
        assertTrue(rows.size() > 300, rows.size() + " requests");
        List<String> different = new ArrayList<>();
        try (Running running = new Running(directory, Map.of())) {
            OddRequests server = new OddRequests(running.server().bootstrapServers());
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
