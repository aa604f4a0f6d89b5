package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Compares what a server answers with a table of requests and the answers of a Kafka broker. */
final class RecordedAnswers {
    private RecordedAnswers() {}

    /** Asks a server one request of a table. */
    interface Asked {
        String answer(String request) throws Exception;
    }

    /**
     * Asserts that a server gives all answers of a table.
     *
     * @param resource the table, in the form that {@link OddRequests} describes
     * @param least how many requests it has at least
     */
    static void check(String resource, int least, Asked server) throws Exception {
        List<OddRequests.Row> rows = OddRequests.rows(lines(resource));
        assertTrue(rows.size() > least, rows.size() + " requests");
        List<String> different = new ArrayList<>();
        for (OddRequests.Row row : rows) {
            String found = server.answer(row.request());
            if (!found.equals(row.firn())) {
                different.add(row.request() + " | " + found + ", expected " + row.firn());
            }
        }
        assertEquals(List.of(), different);
    }

    private static List<String> lines(String resource) throws IOException {
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(
                                Objects.requireNonNull(
                                        RecordedAnswers.class.getResourceAsStream(resource)),
                                StandardCharsets.UTF_8))) {
            return in.lines().toList();
        }
    }
}
