package io.firn.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The meters of one kind of things, such as topics, which come and go: a meter for each thing and
 * measure. A thing has the tags of its meters, and members of which a measure is the sum.
 */
final class MeterFamily<T> {
    private final List<Measure<T>> measures;
    private final MeterRegistry registry;
    private final Runnable beforeReading;
    private final Map<Tags, List<Meter>> meters = new HashMap<>();
    private volatile Map<Tags, List<T>> things = Map.of();

    /**
     * Creates a family without things.
     *
     * @param beforeReading is called each time that a meter is read
     */
    MeterFamily(List<Measure<T>> measures, MeterRegistry registry, Runnable beforeReading) {
        this.measures = measures;
        this.registry = registry;
        this.beforeReading = beforeReading;
    }

    /** Sets which things there are, and adds and removes meters. For one thread at a time. */
    void update(Map<Tags, List<T>> now) {
        things = now;
        for (Tags each : List.copyOf(meters.keySet())) {
            if (!now.containsKey(each)) {
                meters.remove(each).forEach(registry::remove);
            }
        }
        for (Tags each : now.keySet()) {
            if (!meters.containsKey(each)) {
                meters.put(each, register(each));
            }
        }
    }

    private List<Meter> register(Tags tags) {
        return measures.stream().map(each -> register(each, tags)).toList();
    }

    private Meter register(Measure<T> measure, Tags tags) {
        return switch (measure.kind()) {
            case COUNTER ->
                    FunctionCounter.builder(
                                    measure.name(), this, family -> family.read(measure, tags))
                            .tags(tags)
                            .description(measure.meaning())
                            .baseUnit(measure.unit())
                            .register(registry);
            case GAUGE ->
                    Gauge.builder(measure.name(), () -> read(measure, tags))
                            .tags(tags)
                            .description(measure.meaning())
                            .baseUnit(measure.unit())
                            .register(registry);
            case LONGEST ->
                    TimeGauge.builder(measure.name(), () -> read(measure, tags), TimeUnit.SECONDS)
                            .tags(tags)
                            .description(measure.meaning())
                            .register(registry);
        };
    }

    private double read(Measure<T> measure, Tags tags) {
        beforeReading.run();
        List<T> members = things.get(tags);
        return members == null ? Double.NaN : measure.of(members);
    }
}
