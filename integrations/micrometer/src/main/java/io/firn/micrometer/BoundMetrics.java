package io.firn.micrometer;

import io.firn.ClosedException;
import io.firn.CursorReader.CursorMetrics;
import io.firn.Finding;
import io.firn.LogReader;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.StoreMetrics;
import io.firn.StoreMetrics.TierMetrics;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** The metrics of a store in one registry. */
final class BoundMetrics {
    private static final long FRESH_NS = TimeUnit.SECONDS.toNanos(1);

    private final LogReader store;
    private final Clock clock;
    private final Tags tags;
    private final boolean hasPartitions;
    private final MeterFamily<StoreMetrics> ofStore;
    private final MeterFamily<Finding> ofFindings;
    private final MeterFamily<TierMetrics> ofTiers;
    private final MeterFamily<PartitionMetrics> ofTopics;
    private final MeterFamily<CursorMetrics> ofCursors;

    /** Readers that come while another one takes the snapshot use the one before. */
    private final ReentrantLock refreshing = new ReentrantLock();

    private boolean isTaken;
    private boolean isRemoved;
    private long takenNs;

    BoundMetrics(LogReader store, MeterRegistry registry, Tags tags, boolean hasPartitions) {
        this.store = store;
        this.clock = registry.config().clock();
        this.tags = tags;
        this.hasPartitions = hasPartitions;
        this.ofStore = new MeterFamily<>(Measures.STORE, registry, this::refresh);
        this.ofFindings = new MeterFamily<>(Measures.FINDING, registry, this::refresh);
        this.ofTiers = new MeterFamily<>(Measures.TIER, registry, this::refresh);
        this.ofTopics = new MeterFamily<>(Measures.TOPIC, registry, this::refresh);
        this.ofCursors = new MeterFamily<>(Measures.CURSOR, registry, this::refresh);
    }

    /**
     * Takes a snapshot if the last one is old. A registry may read a meter while it is added, so
     * the time is noted first.
     */
    void refresh() {
        if (!refreshing.tryLock()) {
            return;
        }
        try {
            long nowNs = clock.monotonicTime();
            if (!isRemoved && (!isTaken || nowNs - takenNs >= FRESH_NS)) {
                isTaken = true;
                takenNs = nowNs;
                take();
            }
        } finally {
            refreshing.unlock();
        }
    }

    private void take() {
        StoreMetrics metrics;
        Map<String, List<CursorMetrics>> cursors;
        List<Finding> findings;
        try {
            metrics = store.metrics();
            cursors = store.cursorMetrics();
            findings = store.findings();
        } catch (ClosedException e) {
            remove();
            return;
        }
        ofStore.update(Map.of(tags, List.of(metrics)));
        ofFindings.update(byKind(findings));
        Map<Tags, List<TierMetrics>> tiers = new HashMap<>();
        metrics.tiers().forEach(each -> add(tiers, tags.and("tier", each.label()), each));
        ofTiers.update(tiers);
        Map<Tags, List<PartitionMetrics>> topics = new HashMap<>();
        for (PartitionMetrics each : metrics.partitions()) {
            add(topics, tagsOf(each.topic(), each.partition()), each);
        }
        ofTopics.update(topics);
        Map<Tags, List<CursorMetrics>> byCursor = new HashMap<>();
        cursors.forEach(
                (topic, ofTopic) -> {
                    for (CursorMetrics each : ofTopic) {
                        Tags place = tagsOf(topic, each.partition()).and("cursor", each.cursor());
                        add(byCursor, place, each);
                    }
                });
        ofCursors.update(byCursor);
    }

    /** Also those of which there are none: what appears from nowhere is no growth. */
    private Map<Tags, List<Finding>> byKind(List<Finding> findings) {
        Map<Tags, List<Finding>> all = new HashMap<>();
        for (Finding.Kind kind : Finding.Kind.values()) {
            Tags ofKind =
                    tags.and(
                            "kind",
                            kind.name(),
                            "severity",
                            kind.severity().name().toLowerCase(Locale.ROOT));
            all.put(ofKind, findings.stream().filter(each -> each.kind() == kind).toList());
        }
        return all;
    }

    private Tags tagsOf(String topic, int partition) {
        Tags ofTopic = tags.and("topic", topic);
        return hasPartitions ? ofTopic.and("partition", Integer.toString(partition)) : ofTopic;
    }

    private static <T> void add(Map<Tags, List<T>> groups, Tags tags, T member) {
        groups.computeIfAbsent(tags, none -> new ArrayList<>()).add(member);
    }

    /** Removes all meters, for good. */
    void remove() {
        refreshing.lock();
        try {
            isRemoved = true;
            for (MeterFamily<?> each : List.of(ofStore, ofFindings, ofTiers, ofTopics, ofCursors)) {
                each.update(Map.of());
            }
        } finally {
            refreshing.unlock();
        }
    }
}
