package io.firn.management;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.server.FirnServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The console in Debian's Chromium. Pictures of each view are in target/console. */
@Tag("slow")
@Timeout(1_200)
class ConsoleBrowserTest {
    private static final String SCRIPT =
            "<img src=x onerror='wasRun = 1'><script>wasRun = 1</script>";
    private static final String TAB = "\uE004";
    private static final String ENTER = "\uE007";
    private static final String RIGHT = "\uE014";
    private static final Path PICTURES = Path.of("target/console");
    private static final String LAST = "#/topics/orders/0?from=latest";

    /** By its name in the pictures. */
    private static final Map<String, String> VIEWS =
            Map.ofEntries(
                    Map.entry("overview", "#/overview"),
                    Map.entry("tiers", "#/tiers"),
                    Map.entry("topics", "#/topics"),
                    Map.entry("topic", "#/topics/orders"),
                    Map.entry("records", LAST),
                    Map.entry("empty", "#/topics/empty/0"),
                    Map.entry("groups", "#/groups"),
                    Map.entry("group", "#/groups/billing"),
                    Map.entry("connections", "#/connections"),
                    Map.entry("config", "#/config"),
                    Map.entry("events", "#/events"),
                    Map.entry("missing", "#/topics/no-such-topic"));

    @TempDir Path directory;
    private LogStore store;
    private FirnServer server;
    private URI page;
    private volatile boolean isEnding;

    private void start(Map<String, String> keys) throws IOException {
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(
                                "hot",
                                FileTier.at(directory.resolve("hot")).withCapacityBytes(64 << 20))
                        .tier("cold", FileTier.at(directory.resolve("cold")))
                        .open();
        FirnServer.Builder builder =
                FirnServer.of(store)
                        .set("listeners", "PLAINTEXT://127.0.0.1:0")
                        .set("management.listener", "http://127.0.0.1:0");
        keys.forEach(builder::set);
        server = builder.start();
        page = server.managementUri().orElseThrow().resolve("/console/");
        Files.createDirectories(PICTURES);
    }

    private void end() {
        isEnding = true;
        if (server != null) {
            server.close();
        }
        if (store != null) {
            store.close();
        }
    }

    /** Appends and reads all the time. */
    private List<Thread> load() {
        for (String name : List.of("orders", "payments", "shipments", "audit-log", "sessions")) {
            store.createTopic(
                    name, TopicOptions.defaults().withPartitions(3).withSegmentBytes(256 << 10));
        }
        store.createTopic("empty", TopicOptions.defaults());
        List<Thread> threads =
                List.of(
                        new Thread(this::produce, "produce"),
                        new Thread(() -> consume("billing", "orders"), "consume"),
                        new Thread(() -> consume("warehouse", "shipments"), "consume"));
        threads.forEach(Thread::start);
        return threads;
    }

    private void produce() {
        Map<String, Object> options =
                Map.of(
                        "bootstrap.servers",
                        server.bootstrapServers(),
                        ProducerConfig.CLIENT_ID_CONFIG,
                        "till-7",
                        ProducerConfig.LINGER_MS_CONFIG,
                        5);
        String filler = "x".repeat(300);
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(options, new StringSerializer(), new StringSerializer())) {
            for (int i = 0; !isEnding; i++) {
                String topic = List.of("orders", "payments", "shipments", "audit-log").get(i % 4);
                String value = "{\"number\": " + i + ", \"note\": \"" + filler + "\"}";
                var unused =
                        producer.send(new ProducerRecord<>(topic, "customer-" + i % 50, value));
                if (i % (40 + 30 * Math.sin(i / 2_000.0)) < 1) {
                    Thread.sleep(20);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void consume(String group, String topic) {
        Map<String, Object> options =
                Map.of(
                        "bootstrap.servers",
                        server.bootstrapServers(),
                        "group.id",
                        group,
                        "client.id",
                        group + "-1",
                        "auto.offset.reset",
                        "earliest");
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(options, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (!isEnding) {
                consumer.poll(Duration.ofMillis(200));
            }
        }
    }

    /** Opens a view and waits until it shows something. */
    private void open(Browser browser, String view) throws IOException {
        browser.open(page.resolve(view));
        browser.await(
                "document.querySelector('#main')?.dataset.place === '"
                        + view
                        + "' && (document.querySelector('main > div:not([hidden])')"
                        + " || !document.querySelector('body > .problem').hidden)");
        browser.await(
                "document.querySelector('main tbody tr, main .records li, main [role=option], main .facts"
                        + " dd:not(:empty), main .empty:not([hidden]), body > .problem:not([hidden])')");
    }

    @Test
    void eachViewShouldBeReadableOnEachScreenAndAccessible() throws Exception {
        start(Map.of("management.console", "values", "num.partitions", "3"));
        List<Thread> threads = load();
        try (Browser browser = new Browser(directory)) {
            store.openTopic("sessions").cursor("replicator").commit(0, 0);
            open(browser, "#/overview");
            browser.await("document.querySelector('canvas')");
            Thread.sleep(Integer.getInteger("firn.console.warm.ms", 20_000));
            moveSealed();
            List<String> flaws = new ArrayList<>();
            for (int width : List.of(390, 1_280, 2_560)) {
                for (String scheme : List.of("light", "dark")) {
                    for (String name : VIEWS.keySet().stream().sorted().toList()) {
                        browser.look(width, width < 600 ? 844 : width * 9 / 16, scheme);
                        String what = name + "-" + width + "-" + scheme;
                        open(browser, VIEWS.get(name));
                        browser.picture(PICTURES.resolve(what + ".png"));
                        flaws.addAll(flaws(browser, what));
                    }
                }
            }
            assertEquals(List.of(), flaws);
            assertEquals(List.of(), withoutMissing(browser.errors()));
        } finally {
            end();
            for (Thread each : threads) {
                each.join();
            }
        }
    }

    /** Except that a topic is not found, which is meant. */
    private static List<String> withoutMissing(List<String> errors) {
        return errors.stream().filter(each -> !each.contains("no-such-topic")).toList();
    }

    private void moveSealed() {
        for (var partition : store.snapshot().partitions()) {
            var segments = partition.segments();
            for (int i = 0; i < segments.size() / 2; i++) {
                store.migrate(
                        partition.topic(),
                        partition.partition(),
                        segments.get(i).baseOffset(),
                        "cold");
            }
        }
    }

    private static List<String> flaws(Browser browser, String what) throws IOException {
        List<String> flaws = new ArrayList<>();
        if (browser.run("return document.documentElement.scrollWidth > innerWidth").asBoolean()) {
            flaws.add(what + ": wider than the screen");
        }
        JsonNode others =
                browser.run(
                        "return performance.getEntriesByType('resource').map(each => each.name)"
                                + ".filter(each => !each.startsWith(location.origin))");
        if (!others.isEmpty()) {
            flaws.add(what + ": asks others: " + others);
        }
        for (JsonNode each : axe(browser)) {
            flaws.add(what + ": " + each.asText());
        }
        return flaws;
    }

    /** Returns the findings that axe-core calls serious or critical. */
    private static JsonNode axe(Browser browser) throws IOException {
        if (!browser.run("return 'axe' in window").asBoolean()) {
            try (InputStream in = ConsoleBrowserTest.class.getResourceAsStream("/axe.min.js")) {
                browser.run(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        browser.run(
                "window.found = null; axe.run({resultTypes: ['violations']})"
                        + ".then(all => window.found = all.violations"
                        + ".filter(each => ['serious', 'critical'].includes(each.impact))"
                        + ".map(each => each.id + ' ' + each.nodes.map(node => node.html + ' '"
                        + " + node.failureSummary).join(', ')),"
                        + " error => window.found = [String(error)])");
        browser.await("window.found !== null");
        return browser.run("return window.found");
    }

    @Test
    void markupInARecordShouldBeShownAndNotRun() throws Exception {
        start(Map.of("management.console", "values"));
        try (Browser browser = new Browser(directory)) {
            Topic topic = store.createTopic("orders", TopicOptions.defaults());
            try (var appender = topic.partition(0).openAppender()) {
                byte[] bytes = SCRIPT.getBytes(StandardCharsets.UTF_8);
                appender.append(
                        topic.newBatch().key(bytes).value(bytes).header(SCRIPT, bytes).add());
            }
            topic.cursor(SCRIPT).commit(0, 0);
            for (String view : List.of(LAST, "#/topics/orders", "#/groups", "#/tiers")) {
                open(browser, view);
                browser.picture(PICTURES.resolve("script.png"));
                assertTrue(browser.run("return window.wasRun === undefined").asBoolean(), view);
                assertEquals(1, browser.run("return document.scripts.length").asInt(), view);
                assertEquals(1, browser.run("return document.images.length").asInt(), view);
            }
            open(browser, LAST);
            assertEquals(
                    SCRIPT,
                    browser.run("return document.querySelector('pre').textContent").asText());
            assertEquals(List.of(), browser.errors());
            String refused =
                    browser.run(
                                    "try { document.body.innerHTML = '<b>x</b>'; return 'set' }"
                                            + " catch (e) { return e.name }")
                            .asText();
            assertEquals("TypeError", refused, "trusted types");
        } finally {
            end();
        }
    }

    @Test
    void segmentsShouldBeChosenByKeysAndMoveToTheirTier() throws Exception {
        start(Map.of());
        try (Browser browser = new Browser(directory)) {
            Topic topic =
                    store.createTopic("orders", TopicOptions.defaults().withSegmentBytes(64 << 10));
            try (var appender = topic.partition(0).openAppender()) {
                for (int i = 0; i < 400; i++) {
                    appender.append(new byte[1_000]);
                }
            }
            browser.look(1_280, 720, "light");
            open(browser, "#/overview");
            browser.run("document.querySelector('#nav a[href=\"#/tiers\"]').focus()");
            browser.press(ENTER);
            browser.await("document.querySelector('[role=listbox] .block')");
            browser.press(TAB, TAB); // the filter, the blocks
            browser.press(RIGHT, RIGHT);
            browser.await(
                    "document.querySelector('.detail').textContent.includes('orders, partition 0')");
            String hot = "document.querySelectorAll('[role=listbox]')[0].children.length";
            String cold = "document.querySelectorAll('[role=listbox]')[1].children.length";
            assertEquals(0, browser.run("return " + cold).asInt());
            int before = browser.run("return " + hot).asInt();
            store.migrate("orders", 0, 0, "cold");
            browser.await(cold + " === 1");
            assertEquals(before - 1, browser.run("return " + hot).asInt());
            assertEquals(List.of(), browser.errors());
        } finally {
            end();
        }
    }

    @Test
    void aServerWithTwoThousandTopicsShouldBeSearchable() throws Exception {
        start(Map.of());
        try (Browser browser = new Browser(directory)) {
            for (int i = 0; i < 2_000; i++) {
                store.createTopic(
                        "region-" + i % 20 + ".service-" + i + ".events",
                        TopicOptions.defaults().withSegmentBytes(64 << 10));
            }
            for (int width : List.of(390, 1_280)) {
                browser.look(width, 844, "light");
                open(browser, "#/topics?page=3");
                browser.await("document.querySelector('.pager').textContent.includes('of 2,000')");
                browser.picture(PICTURES.resolve("many-topics-" + width + ".png"));
                open(browser, "#/overview");
                browser.picture(PICTURES.resolve("many-overview-" + width + ".png"));
                open(browser, "#/topics");
                browser.run("document.querySelector('input[type=search]').focus()");
                browser.press("1", "9", "9", "9");
                browser.await("document.querySelectorAll('tbody tr').length === 1");
                assertTrue(browser.run("return location.hash").asText().contains("filter=1999"));
                assertEquals(
                        "INPUT", browser.run("return document.activeElement.tagName").asText());
            }
            assertEquals(List.of(), browser.errors());
        } finally {
            end();
        }
    }

    @Test
    void anEndedServerShouldBeToldAndTriedAgain() throws Exception {
        start(Map.of());
        try (Browser browser = new Browser(directory)) {
            browser.look(1_280, 720, "dark");
            open(browser, "#/topics");
            end();
            browser.await("!document.querySelector('#problem').hidden");
            browser.picture(PICTURES.resolve("ended.png"));
            assertEquals("no answer", browser.run("return health.textContent").asText());
        }
    }
}
