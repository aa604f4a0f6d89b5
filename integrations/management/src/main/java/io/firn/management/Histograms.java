package io.firn.management;

import io.firn.LogStore;
import io.firn.StoreMetrics;
import io.firn.server.ServerMetricsMXBean;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The times of requests and forces, which the server and the store count in classes. */
final class Histograms implements MultiCollector {
    static final String REQUESTS = "firn_server_request_seconds";
    static final String FORCES = "firn_force_seconds";
    static final String OF_REQUESTS = "time of requests from when they were read to the answer";
    static final String OF_FORCES = "time of forces";

    private final ServerMetricsMXBean server;
    private final LogStore store;

    Histograms(ServerMetricsMXBean server, LogStore store) {
        this.server = server;
        this.store = store;
    }

    @Override
    public List<String> getPrometheusNames() {
        return List.of(REQUESTS, FORCES);
    }

    @Override
    public MetricSnapshots collect() {
        return MetricSnapshots.of(requests(), forces());
    }

    private HistogramSnapshot requests() {
        List<Double> bounds = server.getRequestTimeBoundsMs();
        Map<String, Double> seconds = server.getRequestSeconds();
        HistogramSnapshot.Builder all =
                HistogramSnapshot.builder().name(REQUESTS).help(OF_REQUESTS);
        server.getRequestTimes()
                .forEach(
                        (api, counts) -> {
                            ClassicHistogramBuckets.Builder buckets =
                                    ClassicHistogramBuckets.builder();
                            for (int i = 0; i < bounds.size(); i++) {
                                buckets.bucket(bounds.get(i) / 1_000, counts.get(i));
                            }
                            buckets.bucket(Double.POSITIVE_INFINITY, counts.get(bounds.size()));
                            all.dataPoint(
                                    HistogramSnapshot.HistogramDataPointSnapshot.builder()
                                            .labels(Labels.of("api", api))
                                            .classicHistogramBuckets(buckets.build())
                                            .sum(seconds.getOrDefault(api, 0.0))
                                            .build());
                        });
        return all.build();
    }

    private HistogramSnapshot forces() {
        StoreMetrics metrics = store.metrics();
        ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        Duration longest = metrics.forceTimes().lastKey();
        metrics.forceTimes()
                .forEach(
                        (bound, count) -> {
                            double limit =
                                    bound.equals(longest)
                                            ? Double.POSITIVE_INFINITY
                                            : bound.toNanos() / 1e9;
                            buckets.bucket(limit, count);
                        });
        return HistogramSnapshot.builder()
                .name(FORCES)
                .help(OF_FORCES)
                .dataPoint(
                        HistogramSnapshot.HistogramDataPointSnapshot.builder()
                                .classicHistogramBuckets(buckets.build())
                                .sum(metrics.totalForceTime().toNanos() / 1e9)
                                .build())
                .build();
    }
}
