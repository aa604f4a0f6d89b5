package io.firn.management;

import io.firn.micrometer.FirnMetrics;
import io.firn.server.ManagementService.Managed;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The metrics of a server, its store and its process, as text of Prometheus or, for clients that
 * accept it, of OpenMetrics. One scrape at a time. Thread-safe.
 */
final class Metrics implements AutoCloseable {
    private static final String OPEN_METRICS = "application/openmetrics-text";
    private static final String OPEN_TYPE = OPEN_METRICS + "; version=1.0.0; charset=utf-8";
    private static final String PLAIN_TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final int PATIENCE_S = 5;

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final FirnMetrics ofStore;
    private final Semaphore turn = new Semaphore(1);

    Metrics(Managed managed) {
        FirnMetrics sums = FirnMetrics.of(managed.store());
        boolean each = managed.config().flag("management.metrics.partitions");
        ofStore = each ? sums.withPartitions() : sums;
        registry.getPrometheusRegistry()
                .register(new Histograms(managed.metrics(), managed.store()));
        List<MeterBinder> binders =
                List.of(
                        ofStore,
                        new ServerMeters(managed.metrics()),
                        new JvmMemoryMetrics(),
                        collections,
                        new ProcessorMetrics(),
                        new FileDescriptorMetrics(),
                        new UptimeMetrics());
        binders.forEach(binder -> binder.bindTo(registry));
    }

    /**
     * Returns all of them.
     *
     * @param accepted the header Accept; empty if there is none
     */
    Answer answer(String accepted) {
        try {
            if (!turn.tryAcquire(PATIENCE_S, TimeUnit.SECONDS)) {
                return Answer.text(Answer.UNAVAILABLE, "another scrape is in progress");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.text(Answer.UNAVAILABLE, "the server ends");
        }
        try {
            // Adds meters of new topics and groups before all are read.
            registry.get("firn.transactions").gauge().value();
            String type =
                    accepted.toLowerCase(Locale.ROOT).contains(OPEN_METRICS)
                            ? OPEN_TYPE
                            : PLAIN_TYPE;
            byte[] text = registry.scrape(type).getBytes(StandardCharsets.UTF_8);
            return new Answer(Answer.OK, type, text);
        } finally {
            turn.release();
        }
    }

    @Override
    public void close() {
        ofStore.close();
        collections.close();
        registry.close();
    }
}
