package io.firn.micrometer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FirnMetricsTest {
    private static final TopicOptions SMALL =
            TopicOptions.defaults().withSegmentBytes(1 << 20).withPartitions(2);

    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry =
            new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    @TempDir Path directory;
    private LogStore store;

    @BeforeEach
    void open() {
        store = LogStore.at(directory).tier("ssd", FileTier.at(directory.resolve("ssd"))).open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static void append(Topic topic, int partition, String... values) {
        try (var appender = topic.partition(partition).openAppender()) {
            for (String each : values) {
                appender.append(each.getBytes(UTF_8));
            }
        }
    }

    private void aSecondPasses() {
        clock.add(Duration.ofSeconds(1));
    }

    private double gauge(String name, String... tags) {
        return registry.get(name).tags(tags).gauge().value();
    }

    @Test
    void shouldShowTheOffsetsOfATopicSummedOverItsPartitions() {
        Topic orders = store.ensureTopic("orders", SMALL);
        FirnMetrics.of(store).bindTo(registry);
        append(orders, 0, "a", "b");
        append(orders, 1, "c");
        aSecondPasses();
        assertEquals(3, gauge("firn.topic.next.offset", "topic", "orders"));
        assertEquals(3, gauge("firn.topic.durable.offset", "topic", "orders"));
        assertTrue(registry.get("firn.topic.forces").functionCounter().count() >= 2);
        assertTrue(gauge("firn.topic.size", "topic", "orders") > 0);
        assertEquals(
                gauge("firn.topic.size", "topic", "orders"),
                registry.get("firn.topic.forced.size").functionCounter().count());
    }

    @Test
    void shouldShowEachPartitionWhenAskedTo() {
        Topic orders = store.ensureTopic("orders", SMALL);
        append(orders, 1, "a");
        FirnMetrics.of(store).withPartitions().bindTo(registry);
        assertEquals(0, gauge("firn.topic.next.offset", "topic", "orders", "partition", "0"));
        assertEquals(1, gauge("firn.topic.next.offset", "topic", "orders", "partition", "1"));
    }

    @Test
    void shouldShowTheLagOfACursor() {
        Topic orders = store.ensureTopic("orders", SMALL);
        append(orders, 0, "a", "b");
        append(orders, 1, "c");
        try (Tailer tailer = orders.openTailer(TailerOptions.at("billing"))) {
            tailer.forEach(record -> {}, 1);
            tailer.commit();
        }
        FirnMetrics.of(store).bindTo(registry);
        String[] billing = {"topic", "orders", "cursor", "billing"};
        assertEquals(2, gauge("firn.cursor.lag", billing));
        assertTrue(gauge("firn.cursor.lag.size", billing) > 0);
        assertTrue(
                registry.get("firn.cursor.lag.time")
                                .tags(billing)
                                .timeGauge()
                                .value(TimeUnit.SECONDS)
                        >= 0);
        orders.cursor("billing").commit(0, 2);
        orders.cursor("billing").commit(1, 1);
        aSecondPasses();
        assertEquals(0, gauge("firn.cursor.lag", billing));
    }

    @Test
    void shouldShowTiersAndFindings() {
        store.ensureTopic("orders", SMALL);
        FirnMetrics.of(store).withTags(Tags.of("store", "main")).bindTo(registry);
        assertEquals(1, gauge("firn.tier.in.rotation", "store", "main", "tier", "ssd"));
        assertEquals(Double.NaN, gauge("firn.tier.capacity", "tier", "ssd"));
        assertTrue(gauge("firn.tier.free", "tier", "ssd") > 0);
        double findings =
                registry.get("firn.findings").tags("store", "main").gauges().stream()
                        .mapToDouble(Gauge::value)
                        .sum();
        assertEquals(store.findings().size(), findings);
        assertEquals(0, gauge("firn.findings", "kind", "LOCK_LOST", "severity", "error"));
    }

    @Test
    void shouldAddAndRemoveMetersAsTopicsAndCursorsComeAndGo() {
        FirnMetrics.of(store).bindTo(registry);
        assertEquals(Set.of(), topics());
        store.ensureTopic("orders", SMALL).cursor("billing").commit(0, 0);
        aSecondPasses();
        gauge("firn.findings"); // as a registry does that reads all meters
        assertEquals(Set.of("orders"), topics());
        gauge("firn.cursor.lag", "cursor", "billing");
        store.deleteTopic("orders");
        aSecondPasses();
        gauge("firn.findings");
        assertEquals(Set.of(), topics());
    }

    private Set<String> topics() {
        Set<String> topics = new TreeSet<>();
        for (Meter each : registry.getMeters()) {
            if (each.getId().getTag("topic") != null) {
                topics.add(each.getId().getTag("topic"));
            }
        }
        return topics;
    }

    @Test
    void shouldLookAtTheStoreOnceASecond() {
        Topic orders = store.ensureTopic("orders", SMALL);
        FirnMetrics.of(store).bindTo(registry);
        append(orders, 0, "a");
        assertEquals(0, gauge("firn.topic.next.offset"));
        aSecondPasses();
        assertEquals(1, gauge("firn.topic.next.offset"));
    }

    @Test
    void shouldRemoveItsMetersWhenTheStoreIsClosed() {
        store.ensureTopic("orders", SMALL);
        FirnMetrics.of(store).bindTo(registry);
        store.close();
        aSecondPasses();
        assertEquals(Double.NaN, gauge("firn.findings"));
        assertEquals(0, registry.getMeters().size());
    }

    @Test
    void shouldRemoveItsMetersFromAllRegistriesWhenItIsClosed() {
        store.ensureTopic("orders", SMALL);
        SimpleMeterRegistry second = new SimpleMeterRegistry();
        FirnMetrics metrics = FirnMetrics.of(store);
        metrics.bindTo(registry);
        metrics.bindTo(second);
        metrics.close();
        assertEquals(0, registry.getMeters().size() + second.getMeters().size());
    }
}
