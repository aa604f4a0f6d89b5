package io.firn.management.console;

import io.firn.CursorReader.CursorMetrics;
import io.firn.LogReader;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.StoreMetrics;
import io.firn.StoreSnapshot;
import io.firn.server.ManagementService;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What several answers are made from, of at most a second ago, however many pages are open. */
final class Snapshots {
    private final LogReader store;
    private final Supplier<StoreMetrics> metrics;
    private final Supplier<List<PartitionMetrics>> partitions;
    private final Supplier<StoreSnapshot> segments;
    private final Supplier<Map<String, List<CursorMetrics>>> cursors;

    Snapshots(LogReader store) {
        this.store = store;
        this.metrics = new Fresh<>(store::metrics);
        this.partitions = new Fresh<>(() -> visible(metrics.get().partitions()));
        this.segments = new Fresh<>(store::snapshot);
        this.cursors = new Fresh<>(store::cursorMetrics);
    }

    private static List<PartitionMetrics> visible(List<PartitionMetrics> all) {
        return all.stream().filter(each -> isVisible(each.topic())).toList();
    }

    /** Returns whether a topic is one that clients see. */
    static boolean isVisible(String topic) {
        return !topic.equals(ManagementService.HEALTH_TOPIC);
    }

    LogReader store() {
        return store;
    }

    StoreMetrics metrics() {
        return metrics.get();
    }

    /** Returns those of topics that clients see. */
    List<PartitionMetrics> partitions() {
        return partitions.get();
    }

    StoreSnapshot segments() {
        return segments.get();
    }

    Map<String, List<CursorMetrics>> cursors() {
        return cursors.get();
    }
}
