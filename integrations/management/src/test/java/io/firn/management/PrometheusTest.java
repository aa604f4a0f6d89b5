package io.firn.management;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.api.Waiting;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules and the dashboard, with Prometheus as Debian has it. */
@Tag("slow")
class PrometheusTest {
    private static final String RULES = "alerts.yml";
    private static final Pattern METRIC =
            Pattern.compile("\\b(?:firn|jvm|process|system)_[a-z_]+(?=[{ \\[)]|$)");

    @TempDir Path directory;
    private final HttpClient client = HttpClient.newHttpClient();

    private static String resource(String name) throws IOException {
        try (InputStream in = PrometheusTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Process start(String... command) throws IOException {
        return new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("said").toFile())
                .start();
    }

    @Test
    void eachAlertShouldFireInItsFaultAndClear() throws Exception {
        Files.writeString(directory.resolve(RULES), resource(RULES));
        Files.writeString(directory.resolve("test.yml"), resource("alerts-test.yml"));
        Process tests = start("promtool", "test", "rules", "test.yml");
        Waiting.end(tests);
        assertEquals(0, tests.exitValue(), Files.readString(directory.resolve("said")));
        long alerts = resource(RULES).lines().filter(line -> line.contains("alert:")).count();
        for (String each : names(resource(RULES), Pattern.compile("(?<=alert: )\\w+"))) {
            assertTrue(resource("alerts-test.yml").contains("alertname: " + each), each);
            alerts--;
        }
        assertEquals(0, alerts);
    }

    private static Set<String> names(String text, Pattern pattern) {
        Set<String> names = new TreeSet<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            names.add(matcher.group());
        }
        return names;
    }

    private static Set<String> expressions() throws IOException {
        Set<String> metrics = names(resource(RULES), METRIC);
        metrics.addAll(names(resource("dashboard.json"), METRIC));
        return metrics;
    }

    @Test
    void eachMetricOfTheRulesAndTheDashboardShouldBeScraped() throws Exception {
        Files.writeString(directory.resolve(RULES), resource(RULES));
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        try (ManagedServer managed = new ManagedServer(directory, Map.of())) {
            URI scraped = managed.server.managementUri().orElseThrow();
            Files.writeString(
                    directory.resolve("prometheus.yml"),
                    """
                    global: {scrape_interval: 1s, evaluation_interval: 1s}
                    rule_files: [alerts.yml]
                    scrape_configs: [{job_name: firn, static_configs: [{targets: ['%s']}]}]
                    """
                            .formatted(scraped.getAuthority()));
            Process prometheus =
                    start(
                            "prometheus",
                            "--config.file=prometheus.yml",
                            "--storage.tsdb.path=tsdb",
                            "--web.listen-address=127.0.0.1:" + port);
            try (KafkaProducer<String, String> producer =
                    new KafkaProducer<>(
                            Map.of("bootstrap.servers", managed.server.bootstrapServers()),
                            new StringSerializer(),
                            new StringSerializer())) {
                producer.send(new ProducerRecord<>("orders", "value")).get();
                managed.store.openTopic("orders").cursor("billing").commit(0, 0);
                System.gc(); // there is live data only after a collection
                Set<String> missing = new TreeSet<>(expressions());
                assertTrue(missing.size() > 20, missing.toString());
                Waiting.await(
                        () -> "metrics: " + missing,
                        () -> {
                            var unused = producer.send(new ProducerRecord<>("orders", "value"));
                            missing.removeAll(scraped(port));
                            return missing.isEmpty() || !prometheus.isAlive();
                        });
                assertTrue(
                        missing.isEmpty(), missing + Files.readString(directory.resolve("said")));
                Waiting.await(
                        "no alert",
                        () -> !ask(port, "alerts").contains("\"alertname\":\"FirnDown\""));
            } finally {
                prometheus.destroy();
                Waiting.end(prometheus);
            }
        }
    }

    private Set<String> scraped(int port) {
        String names = ask(port, "label/__name__/values");
        return new TreeSet<>(Arrays.asList(names.replaceAll("[^a-z_]+", " ").split(" ")));
    }

    private String ask(int port, String what) {
        URI uri = URI.create("http://127.0.0.1:" + port + "/api/v1/" + what);
        try {
            return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return ""; // it starts
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Prints how long a scrape takes with 10,000 partitions, all with records, and 1,000 groups.
     */
    @Test
    void aScrapeOfManyPartitionsAndGroupsShouldTakeHalfASecond() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, Map.of())) {
            fill(managed.store, 100, 100, 1_000);
            long[] tookMs = new long[10];
            for (int i = 0; i < tookMs.length; i++) {
                TimeUnit.MILLISECONDS.sleep(1_100); // or it would be the snapshot of the last one
                long before = System.nanoTime();
                String page = managed.page("/metrics");
                tookMs[i] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before);
                assertTrue(page.lines().filter(line -> line.contains("group-")).count() >= 3_000);
            }
            System.out.println("scrapes took " + Arrays.toString(tookMs) + " ms");
            Arrays.sort(tookMs);
            assertTrue(tookMs[5] <= 500, Arrays.toString(tookMs));
        }
    }

    /** Each group has read a part of ten partitions. */
    private static void fill(LogStore store, int topics, int partitions, int groups) {
        TopicOptions options =
                TopicOptions.defaults().withPartitions(partitions).withSegmentBytes(64 << 10);
        for (int t = 0; t < topics; t++) {
            Topic topic = store.ensureTopic("topic-" + t, options);
            for (int p = 0; p < partitions; p++) {
                try (var appender = topic.partition(p).openAppender()) {
                    for (String each : List.of("a", "b", "c")) {
                        appender.append(each.getBytes(StandardCharsets.UTF_8));
                    }
                }
            }
        }
        for (int g = 0; g < groups; g++) {
            var cursor = store.openTopic("topic-" + g % topics).cursor("group-" + g);
            for (int p = 0; p < 10; p++) {
                cursor.commit(p, 1);
            }
        }
    }
}
