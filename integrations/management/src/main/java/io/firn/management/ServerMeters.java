package io.firn.management;

import io.firn.server.ServerMetricsMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The numbers of a server and its process that are one each, by the beans that have them. */
final class ServerMeters implements MeterBinder {
    /** A number. Of a counter, it only grows. */
    record ServerMeter(
            String name,
            String unit,
            boolean isCounter,
            String meaning,
            ToDoubleFunction<ServerMetricsMXBean> value) {}

    static final List<ServerMeter> ALL =
            List.of(
                    gauge(
                            "firn.server.connections",
                            null,
                            "open connections",
                            ServerMetricsMXBean::getConnections),
                    gauge(
                            "firn.server.groups",
                            null,
                            "consumer groups that have, or had, members or commits",
                            ServerMetricsMXBean::getGroups),
                    gauge(
                            "firn.server.queued",
                            "bytes",
                            "bytes of requests that are received, wait, or are handled",
                            ServerMetricsMXBean::getQueuedBytes),
                    counter(
                            "firn.server.throttles",
                            null,
                            "how often clients were muted, because they had exceeded a quota",
                            ServerMetricsMXBean::getThrottles),
                    counter(
                            "firn.server.throttled",
                            "seconds",
                            "for how long together",
                            each -> each.getThrottledMs() / 1_000.0),
                    gauge(
                            "firn.server.thread.still",
                            "seconds",
                            "for how long the thread has stood still that has longest",
                            each ->
                                    each.getThreadsStillMs().values().stream()
                                                    .mapToLong(Long::longValue)
                                                    .max()
                                                    .orElse(0)
                                            / 1_000.0),
                    gauge(
                            "firn.process.mappings",
                            null,
                            "mapped ranges of memory; NaN on other systems than Linux",
                            each -> ProcessMappings.count()),
                    gauge(
                            "firn.process.mappings.max",
                            null,
                            "how many there may be (vm.max_map_count)",
                            each -> ProcessMappings.most()));

    private final ServerMetricsMXBean metrics;

    ServerMeters(ServerMetricsMXBean metrics) {
        this.metrics = metrics;
    }

    private static ServerMeter gauge(
            String name, String unit, String meaning, ToDoubleFunction<ServerMetricsMXBean> value) {
        return new ServerMeter(name, unit, false, meaning, value);
    }

    private static ServerMeter counter(
            String name, String unit, String meaning, ToDoubleFunction<ServerMetricsMXBean> value) {
        return new ServerMeter(name, unit, true, meaning, value);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (ServerMeter each : ALL) {
            if (each.isCounter()) {
                FunctionCounter.builder(each.name(), metrics, each.value())
                        .baseUnit(each.unit())
                        .description(each.meaning())
                        .register(registry);
            } else {
                Gauge.builder(each.name(), metrics, each.value())
                        .baseUnit(each.unit())
                        .description(each.meaning())
                        .register(registry);
            }
        }
    }
}
