package io.firn.management;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.api.Waiting;
import io.firn.server.ManagementService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsoleTest {
    private static final String PAGE = "/console/";
    private static final String API = PAGE + "api/";
    private static final String SCRIPT = "<script>parent.wasRun = true</script>";
    private static final Map<String, String> VALUES = Map.of("management.console", "values");

    @TempDir Path directory;

    private static JsonNode json(ManagedServer managed, String what) throws IOException {
        String answer = managed.page(API + what);
        assertEquals(200, ManagedServer.statusOf(answer), answer);
        assertTrue(answer.contains("Content-type: application/json"), answer);
        return new ObjectMapper().readTree(answer.substring(answer.indexOf("\r\n\r\n") + 4));
    }

    private static void append(Topic topic, String... keysAndValues) {
        try (var appender = topic.partition(0).openAppender()) {
            for (int i = 0; i < keysAndValues.length; i += 2) {
                appender.append(bytes(keysAndValues[i]), bytes(keysAndValues[i + 1]));
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldServeItsFilesAndNoOthersToBrowsersThatRunNothingElse() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, Map.of())) {
            String page = managed.page(PAGE);
            assertEquals(200, ManagedServer.statusOf(page));
            assertTrue(page.contains("script-src 'self'"), page);
            assertTrue(page.contains("require-trusted-types-for 'script'"), page);
            assertFalse(page.contains("unsafe"), page);
            assertFalse(page.contains("<style"), page);
            assertFalse(page.matches("(?s).*<script(?! type=\"module\" src=\"main.js\">).*"), page);
            assertFalse(page.matches("(?s).*\\s(style|on\\w+)=.*"), page);
            assertEquals(303, managed.status("/"));
            for (String none :
                    List.of("index.html", "../alerts.yml", "x", "api", "api/", "api/x")) {
                assertEquals(404, managed.status(PAGE + none), none);
            }
            List<String> files = new ArrayList<>(List.of("main.js"));
            for (int i = 0; i < files.size(); i++) { // all that are imported are there
                String module = managed.page(PAGE + files.get(i));
                assertEquals(200, ManagedServer.statusOf(module), files.get(i));
                assertFalse(module.contains("innerHTML"), files.get(i));
                Matcher imported = Pattern.compile("from '\\./([a-z-]+\\.js)'").matcher(module);
                while (imported.find()) {
                    if (!files.contains(imported.group(1))) {
                        files.add(imported.group(1));
                    }
                }
            }
            assertTrue(files.size() > 15, files.toString());
            assertEquals(200, managed.status(PAGE + "console.css"));
            assertEquals(200, managed.status(PAGE + "uplot.css"));
            assertEquals(200, managed.status(PAGE + "icon.svg"));
        }
    }

    @Test
    void shouldAnswerNoNameThatIsNotItsOwnAndNoOtherSite() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, Map.of())) {
            for (String path : List.of(PAGE, API + "overview", "/")) {
                String other = ManagedServer.get(path, "Host: evil.example");
                assertEquals(421, ManagedServer.statusOf(managed.send(other)), path);
            }
            assertEquals(403, managed.status(API + "overview", "Sec-Fetch-Site: cross-site"));
            assertEquals(200, managed.status(API + "overview", "Sec-Fetch-Site: same-origin"));
            assertEquals(200, managed.status(PAGE, "Sec-Fetch-Site: cross-site")); // a link
            String post = ManagedServer.get(API + "overview", "Host: localhost");
            assertEquals(405, ManagedServer.statusOf(managed.send(post.replace("GET", "POST"))));
        }
    }

    @Test
    void shouldNotBeThereWhereItIsOff() throws Exception {
        try (ManagedServer managed =
                new ManagedServer(directory, Map.of("management.console", "off"))) {
            assertEquals(404, managed.status(PAGE));
            assertEquals(404, managed.status(API + "overview"));
            assertEquals(404, managed.status("/"));
            assertEquals(200, managed.status("/health/live"));
        }
    }

    @Test
    void shouldAskForThePasswordFirst() throws Exception {
        try (ManagedServer managed =
                new ManagedServer(directory, Map.of("management.password", "secret"))) {
            for (String path : List.of(PAGE, API + "overview", "/", PAGE + "main.js")) {
                assertEquals(401, managed.status(path), path);
            }
        }
    }

    @Test
    void shouldShowWhatTheServerHas() throws Exception {
        Map<String, String> keys = Map.of("auto.create.topics.enable", "false");
        try (ManagedServer managed = new ManagedServer(directory, keys)) {
            Topic topic =
                    managed.store.createTopic(
                            "orders",
                            TopicOptions.defaults()
                                    .withPartitions(3)
                                    .withRetentionAge(Duration.ofDays(7)));
            append(topic, "a", "1", "b", "2");
            topic.cursor("billing").commit(0, 1);
            assertEquals(200, managed.status("/health/ready")); // makes the hidden topic

            JsonNode overview = json(managed, "overview");
            assertEquals(1, overview.at("/log/topics").asInt(), overview.toString());
            assertEquals(3, overview.at("/log/partitions").asInt());
            assertEquals(2, overview.at("/log/appended").asInt());
            assertEquals("metadata", overview.at("/records").asText());
            assertEquals(0, overview.at("/findingCount").asInt());
            assertFalse(overview.at("/version").asText().isEmpty());

            JsonNode topics = json(managed, "topics?filter=ORD");
            assertEquals(1, topics.at("/total").asInt(), topics.toString());
            assertEquals("orders", topics.at("/rows/0/name").asText());
            assertEquals(2, topics.at("/rows/0/offsets").asInt());
            assertEquals(0, json(managed, "topics?filter=nothing").at("/total").asInt());

            JsonNode shown = json(managed, "topic?name=orders");
            assertEquals(3, shown.at("/partitions/total").asInt(), shown.toString());
            assertTrue(shown.at("/options").toString().contains("retentionAge"));
            assertEquals("billing", shown.at("/cursors/0/cursor").asText());

            JsonNode tiers = json(managed, "tiers");
            assertEquals(1, tiers.at("/tiers/0/segmentCount").asInt(), tiers.toString());
            assertEquals("orders", tiers.at("/tiers/0/segments/0/topic").asText());

            JsonNode groups = json(managed, "groups");
            assertEquals(1, groups.at("/rows/0/lagRecords").asInt(), groups.toString());
            assertTrue(groups.at("/rows/0/state").isNull());
            assertEquals(1, json(managed, "group?name=billing").at("/lags").size());

            JsonNode config = json(managed, "config");
            assertTrue(config.toString().contains("auto.create.topics.enable"));
            assertEquals(0, json(managed, "events").at("/events").size());
        }
    }

    @Test
    void shouldHideTheTopicOfTheHealthCheck() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, VALUES)) {
            assertEquals(200, managed.status("/health/ready"));
            String hidden = ManagementService.HEALTH_TOPIC;
            assertTrue(managed.store.hasTopic(hidden));
            assertFalse(json(managed, "topics").toString().contains(hidden));
            assertFalse(json(managed, "tiers").toString().contains(hidden));
            assertEquals(404, managed.status(API + "topic?name=" + hidden));
            assertEquals(404, managed.status(API + "records?topic=" + hidden));
        }
    }

    @Test
    void shouldShowClientsAndTheirGroups() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, Map.of());
                KafkaConsumer<String, String> consumer =
                        new KafkaConsumer<>(
                                Map.of(
                                        "bootstrap.servers", managed.server.bootstrapServers(),
                                        "group.id", "billing",
                                        "client.id", "till <1>"),
                                new StringDeserializer(),
                                new StringDeserializer())) {
            managed.store.createTopic("orders", TopicOptions.defaults());
            consumer.subscribe(List.of("orders"));
            Waiting.await(
                    "members",
                    () -> {
                        consumer.poll(Duration.ofMillis(10));
                        return !consumer.assignment().isEmpty();
                    });
            JsonNode group = json(managed, "group?name=billing");
            assertEquals("Stable", group.at("/state").asText(), group.toString());
            assertEquals("till <1>", group.at("/members/0/clientId").asText());
            assertEquals(1, json(managed, "groups").at("/rows/0/members").asInt());
            JsonNode open = json(managed, "connections");
            assertTrue(open.at("/open").asInt() >= 1, open.toString());
            assertEquals("till <1>", open.at("/connections/rows/0/clientId").asText());
            assertTrue(
                    open.at("/connections/rows/0/software").asText().contains("apache-kafka-java"));
            assertEquals(
                    0, json(managed, "connections?filter=other").at("/connections/total").asInt());
        }
    }

    @Test
    void shouldShowNoBytesOfRecordsUnlessItMay() throws Exception {
        Path store = directory;
        try (ManagedServer managed = new ManagedServer(store, Map.of())) {
            append(managed.store.createTopic("orders", TopicOptions.defaults()), "key", SCRIPT);
            JsonNode one = json(managed, "records?topic=orders").at("/records/0");
            assertEquals(3, one.at("/keyBytes").asInt(), one.toString());
            assertEquals(SCRIPT.length(), one.at("/valueBytes").asInt());
            assertTrue(one.at("/key").isNull() && one.at("/value").isNull(), one.toString());
            assertTrue(one.at("/headers").isNull());
            String search = managed.page(API + "records?topic=orders&key=key");
            assertEquals(400, ManagedServer.statusOf(search));
            assertTrue(search.contains("management.console=keys"), search);
        }
        try (ManagedServer managed =
                new ManagedServer(store, Map.of("management.console", "keys"))) {
            JsonNode one = json(managed, "records?topic=orders").at("/records/0");
            assertEquals("key", one.at("/key/text").asText(), one.toString());
            assertTrue(one.at("/value").isNull());
        }
        try (ManagedServer managed = new ManagedServer(store, VALUES)) {
            JsonNode one = json(managed, "records?topic=orders").at("/records/0");
            assertEquals(SCRIPT, one.at("/value/text").asText(), one.toString());
        }
    }

    @Test
    void shouldFindRecordsByOffsetTimeAndKey() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, VALUES);
                KafkaProducer<String, String> producer =
                        new KafkaProducer<>(
                                Map.of("bootstrap.servers", managed.server.bootstrapServers()),
                                new StringSerializer(),
                                new StringSerializer())) {
            managed.store.createTopic("orders", TopicOptions.defaults());
            for (int i = 0; i < 200; i++) {
                var unused =
                        producer.send(
                                new ProducerRecord<>("orders", 0, 1_000L + i, "k" + i % 10, "v"));
            }
            producer.flush();
            JsonNode latest = json(managed, "records?topic=orders&limit=5");
            assertEquals(195, latest.at("/records/0/offset").asInt(), latest.toString());
            assertEquals(200, latest.at("/next").asInt());
            JsonNode time = json(managed, "records?topic=orders&from=time&time=1120&limit=1");
            assertEquals(120, time.at("/records/0/offset").asInt(), time.toString());
            JsonNode byKey =
                    json(managed, "records?topic=orders&from=offset&offset=50&key=k3&limit=2");
            assertEquals(2, byKey.at("/records").size(), byKey.toString());
            assertEquals(53, byKey.at("/records/0/offset").asInt());
            assertEquals(63, byKey.at("/records/1/offset").asInt());
            assertEquals(64, byKey.at("/next").asInt());
            assertEquals(14, byKey.at("/searched").asInt());
            JsonNode hex = json(managed, "records?topic=orders&from=earliest&key=0x6b33");
            assertEquals(20, hex.at("/records").size());
            JsonNode outside = json(managed, "records?topic=orders&from=offset&offset=999");
            assertEquals(0, outside.at("/records").size());
            assertNull(outside.at("/problem").textValue());
        }
    }

    @Test
    void shouldShowTheBeginningOfALongValueAndBytesThatAreNoTextInHexadecimal() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, VALUES)) {
            Topic topic = managed.store.createTopic("orders", TopicOptions.defaults());
            append(topic, "a", "ä".repeat(100_000));
            try (var appender = topic.partition(0).openAppender()) {
                appender.append(new byte[] {0, 1, (byte) 0xFF});
                Batch batch = topic.newBatch();
                batch.key(bytes("k")).value(bytes("v")).header("h", bytes("<b>")).add();
                appender.append(batch);
            }
            JsonNode records = json(managed, "records?topic=orders").at("/records");
            assertEquals(200_000, records.at("/0/valueBytes").asInt());
            assertTrue(records.at("/0/value/cut").asBoolean());
            assertEquals("ä".repeat(2 << 10), records.at("/0/value/text").asText());
            assertEquals("0001ff", records.at("/1/value/hex").asText(), records.toString());
            assertEquals(-1, records.at("/1/keyBytes").asInt());
            assertEquals("<b>", records.at("/2/headers/0/value/text").asText());
        }
    }

    @Test
    void shouldBoundItsAnswers() throws Exception {
        try (ManagedServer managed = new ManagedServer(directory, VALUES)) {
            TopicOptions options = TopicOptions.defaults().withPartitions(250);
            LogStore store = managed.store;
            store.createTopic("many", options);
            for (int i = 0; i < 120; i++) {
                store.createTopic("t" + i, TopicOptions.defaults());
            }
            try (var appender = store.openTopic("many").partition(0).openAppender()) {
                for (int i = 0; i < 300; i++) {
                    appender.append(bytes("v"));
                }
            }
            assertEquals(50, json(managed, "topics").at("/rows").size());
            assertEquals(21, json(managed, "topics?page=2").at("/rows").size());
            assertEquals(0, json(managed, "topics?page=1000000").at("/rows").size());
            assertEquals(100, json(managed, "topic?name=many").at("/partitions/rows").size());
            assertEquals(50, json(managed, "records?topic=many").at("/records").size());
            for (String wrong :
                    List.of(
                            "records?topic=many&limit=101",
                            "records?topic=many&limit=x",
                            "records?topic=many&partition=250",
                            "records?topic=many&partition=-1",
                            "records?topic=many&from=nowhere",
                            "records?topic=many&from=time&time=-1",
                            "records?topic=many&key=0x1",
                            "records",
                            "topic",
                            "topic?name=" + "x".repeat(1_001),
                            "topics?page=-1",
                            "topics?sort=size",
                            "topics?filter=%zz")) {
                assertEquals(400, managed.status(API + wrong), wrong);
            }
            assertEquals(404, managed.status(API + "topic?name=none"));
        }
    }

    /** A LogReader has no method that changes anything. */
    @Test
    void shouldKnowNothingThatWrites() throws IOException {
        Pattern writer =
                Pattern.compile(
                        "io\\.firn\\.(host\\.|LogStore\\b|Topic\\b|Partition\\b|Cursor\\b|Producer\\b"
                                + "|Transaction\\b|\\w*Appender\\b|TailerOptions\\b)");
        try (Stream<Path> files = Files.list(Path.of("src/main/java/io/firn/management/console"))) {
            List<Path> sources = files.toList();
            assertTrue(sources.size() > 15, sources.toString());
            for (Path each : sources) {
                assertFalse(writer.matcher(Files.readString(each)).find(), each.toString());
            }
        }
    }

    @Test
    void shouldMaskSecretsAndShowWhatClientsHaveChanged() throws Exception {
        Map<String, String> keys =
                Map.of("management.user", "op", "management.hosts", "firn.example");
        try (ManagedServer managed = new ManagedServer(directory, keys)) {
            String config = json(managed, "config").toString();
            assertTrue(config.contains("firn.example"), config);
        }
        Map<String, String> secret = Map.of("management.password", "very-secret");
        try (ManagedServer managed = new ManagedServer(directory, secret)) {
            String basic = java.util.Base64.getEncoder().encodeToString(bytes("firn:very-secret"));
            String answer = managed.page(API + "config", "Authorization: Basic " + basic);
            assertEquals(200, ManagedServer.statusOf(answer), answer);
            assertTrue(answer.contains("management.password"), answer);
            assertFalse(answer.contains("very-secret"), answer);
        }
    }
}
