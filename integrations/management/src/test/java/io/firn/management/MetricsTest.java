package io.firn.management;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.api.Waiting;
import io.firn.help.GeneratedPart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTest {
    @TempDir Path directory;

    private static void produce(ManagedServer managed, int count) throws Exception {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", managed.server.bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            for (int i = 0; i < count; i++) {
                producer.send(new ProducerRecord<>("orders", "value")).get();
            }
        }
        String end = "topic=\"orders\"} " + (double) count;
        Waiting.await("the next snapshot", () -> isOn(managed, end));
    }

    private static double value(String page, String series) {
        return page.lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.split(" ")[1]))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + series + " in " + page));
    }

    private static boolean isOn(ManagedServer managed, String series) {
        try {
            return managed.page("/metrics").contains(series);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldShowTopicsRequestsAndForces() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, Map.of())) {
            produce(managed, 20);
            String page = managed.page("/metrics");
            assertTrue(page.contains("text/plain; version=0.0.4"), page);
            assertEquals(20, value(page, "firn_topic_next_offset{topic=\"orders\"}"));
            String produce = "firn_server_request_seconds_";
            assertEquals(20, value(page, produce + "count{api=\"Produce\"}"));
            assertTrue(value(page, produce + "sum{api=\"Produce\"}") > 0);
            assertEquals(20, value(page, produce + "bucket{api=\"Produce\",le=\"+Inf\"}"));
            assertTrue(value(page, "firn_force_seconds_count") > 0);
            assertTrue(value(page, "firn_process_mappings") > 0);
            assertTrue(value(page, "process_files_max_files") > 0);
            assertFalse(page.contains("partition=\"0\""), page);
            managed.store.openTopic("orders").cursor("billing").commit(0, 5);
            String lag = "firn_cursor_lag{cursor=\"billing\",topic=\"orders\"}";
            Waiting.await("the next snapshot", () -> isOn(managed, lag));
            assertEquals(15, value(managed.page("/metrics"), lag));
        }
    }

    @Test
    void shouldShowPartitionsAndSpeakOpenMetricsWhenAskedTo() throws Exception {
        try (ManagedServer managed =
                new ManagedServer(directory, Map.of("management.metrics.partitions", "true"))) {
            produce(managed, 1);
            String page =
                    managed.page(
                            "/metrics",
                            "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
            assertTrue(page.contains("application/openmetrics-text; version=1.0.0"), page);
            assertTrue(page.strip().endsWith("# EOF"), page);
            String offset = "firn_topic_next_offset{partition=\"0\",topic=\"orders\"}";
            assertEquals(1, value(page, offset));
        }
    }

    @Test
    void shouldBeOnThePage() throws IOException {
        Map<String, String> rows = new TreeMap<>();
        for (ServerMeters.ServerMeter each : ServerMeters.ALL) {
            rows.put(each.name(), each.meaning());
        }
        rows.put(Histograms.REQUESTS, Histograms.OF_REQUESTS + ", with `api`");
        rows.put(Histograms.FORCES, Histograms.OF_FORCES);
        List<String> lines = new ArrayList<>();
        rows.forEach((name, meaning) -> lines.add("| `" + name + "` | " + meaning + " |"));
        GeneratedPart.check(
                "docs/reference/metrics.md",
                "management",
                "| meter | meaning |\n|---|---|\n" + String.join("\n", lines));
    }
}
