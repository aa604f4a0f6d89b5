package io.firn.micrometer;

import io.firn.LogReader;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Publishes the metrics of a store in registries of Micrometer.
 *
 * <pre>{@code
 * FirnMetrics.of(store).bindTo(registry);
 * }</pre>
 *
 * <p>A meter is read from a snapshot of the store, which the registry's readers share for a second.
 * Taking a snapshot also adds the meters of topics and cursors that are new, and removes those of
 * topics and cursors that were deleted. No thread is started. When the store is closed, all meters
 * are removed at the next reading.
 *
 * <p>Thread-safe. Each {@code with…} returns a changed copy that is not bound.
 */
public final class FirnMetrics implements MeterBinder, AutoCloseable {
    private final LogReader store;
    private final Tags tags;
    private final boolean hasPartitions;
    private final List<BoundMetrics> bound = new ArrayList<>();

    private FirnMetrics(LogReader store, Tags tags, boolean hasPartitions) {
        this.store = store;
        this.tags = tags;
        this.hasPartitions = hasPartitions;
    }

    /** Returns the metrics of a store; those of a topic or cursor are for all its partitions. */
    public static FirnMetrics of(LogReader store) {
        return new FirnMetrics(Objects.requireNonNull(store, "store"), Tags.empty(), false);
    }

    /** Adds tags to all meters, for example to tell several stores of a process apart. */
    public FirnMetrics withTags(Iterable<? extends Tag> values) {
        return new FirnMetrics(store, tags.and(values), hasPartitions);
    }

    /** Gives each partition meters of its own, with the tag {@code partition}. */
    public FirnMetrics withPartitions() {
        return new FirnMetrics(store, tags, true);
    }

    /** Adds the meters to a registry. */
    @Override
    public void bindTo(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        BoundMetrics metrics = new BoundMetrics(store, registry, tags, hasPartitions);
        synchronized (bound) {
            bound.add(metrics);
        }
        metrics.refresh();
    }

    /** Removes the meters from the registries. Does not close the store. Idempotent. */
    @Override
    public void close() {
        synchronized (bound) {
            bound.forEach(BoundMetrics::remove);
            bound.clear();
        }
    }
}
