package io.firn.server;

import io.firn.CursorReader.CursorMetrics;
import io.firn.LogStore;
import io.firn.PartitionReader.CompactionMetrics;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.host.HostedStore;
import io.firn.server.group.GroupHandlers;
import io.firn.server.wire.RequestCounters;
import io.firn.server.wire.ServerContext;
import io.firn.server.wire.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.kafka.common.protocol.ApiKeys;

/** The metrics of a server, read from their sources at each call. */
final class ServerMetrics implements ServerMetricsMXBean, AutoCloseable {
    private final LogStore store;
    private final ServerContext context;
    private final Transport transport;
    private final GroupHandlers groups;
    private RegisteredBean bean;

    ServerMetrics(
            LogStore store, ServerContext context, Transport transport, GroupHandlers groups) {
        this.store = store;
        this.context = context;
        this.transport = transport;
        this.groups = groups;
    }

    /** Registers the metrics with JMX. */
    void register(String server) {
        bean = RegisteredBean.register(this, "Server", server);
    }

    @Override
    public void close() {
        if (bean != null) {
            bean.close();
        }
    }

    @Override
    public int getConnections() {
        return context.connections().count();
    }

    @Override
    public long getRequests() {
        return context.counters().requests();
    }

    @Override
    public Map<String, Long> getRequestsByApi() {
        Map<String, Long> counts = new TreeMap<>();
        for (ApiKeys key : ApiKeys.values()) {
            long count = context.counters().requests(key);
            if (count > 0) {
                counts.put(key.name, count);
            }
        }
        return counts;
    }

    @Override
    public List<Double> getRequestTimeBoundsMs() {
        return RequestCounters.timeBoundsMs();
    }

    @Override
    public Map<String, List<Long>> getRequestTimes() {
        Map<String, List<Long>> all = new TreeMap<>();
        for (ApiKeys key : ApiKeys.values()) {
            List<Long> times = context.counters().times(key);
            if (!times.isEmpty()) {
                all.put(key.name, times);
            }
        }
        return all;
    }

    @Override
    public Map<String, Double> getRequestSeconds() {
        Map<String, Double> all = new TreeMap<>();
        for (ApiKeys key : ApiKeys.values()) {
            if (!context.counters().times(key).isEmpty()) {
                all.put(key.name, context.counters().seconds(key));
            }
        }
        return all;
    }

    @Override
    public long getThrottles() {
        return context.counters().throttles();
    }

    @Override
    public long getThrottledMs() {
        return context.counters().throttledMs();
    }

    @Override
    public long getRequestsWithTrailingBytes() {
        return context.counters().requestsWithTrailingBytes();
    }

    @Override
    public long getTrailingBytes() {
        return context.counters().trailingBytes();
    }

    @Override
    public long getQueuedBytes() {
        return context.heldBytes();
    }

    @Override
    public int getGroups() {
        return groups.count();
    }

    @Override
    public Map<String, Long> getNextOffsets() {
        return byPartition(PartitionMetrics::nextOffset);
    }

    @Override
    public Map<String, Long> getPartitionBytes() {
        return byPartition(PartitionMetrics::bytes);
    }

    @Override
    public Map<String, Long> getBacklogBytes() {
        return byPartition(PartitionMetrics::backlogBytes);
    }

    /** Without partitions for which it is null. */
    private <T> Map<String, T> byPartition(Function<PartitionMetrics, T> what) {
        Map<String, T> all = new TreeMap<>();
        for (PartitionMetrics each : store.metrics().partitions()) {
            T value = what.apply(each);
            if (value != null) {
                all.put(each.topic() + "-" + each.partition(), value);
            }
        }
        return all;
    }

    @Override
    public Map<String, Double> getDirtyRatios() {
        return byCompaction(CompactionMetrics::dirtyRatio);
    }

    @Override
    public Map<String, Long> getCompactionSavedBytes() {
        return byCompaction(CompactionMetrics::savedBytes);
    }

    @Override
    public Map<String, String> getCompactionSkipped() {
        return byCompaction(
                each -> {
                    List<String> all = new ArrayList<>();
                    each.lastRun().ifPresent(last -> all.addAll(last.skipped()));
                    each.lastRun().ifPresent(last -> all.addAll(last.full()));
                    return all.isEmpty() ? null : String.join("; ", all);
                });
    }

    private <T> Map<String, T> byCompaction(Function<CompactionMetrics, T> what) {
        return byPartition(each -> each.compaction().map(what).orElse(null));
    }

    @Override
    public Map<String, Long> getCursorLagRecords() {
        return byCursor(CursorMetrics::lagRecords);
    }

    @Override
    public Map<String, Long> getCursorLagBytes() {
        return byCursor(CursorMetrics::lagBytes);
    }

    @Override
    public Map<String, Long> getCursorLagMs() {
        return byCursor(each -> each.lagTime().map(Duration::toMillis).orElse(-1L));
    }

    private Map<String, Long> byCursor(Function<CursorMetrics, Long> number) {
        Map<String, Long> numbers = new TreeMap<>();
        store.cursorMetrics()
                .forEach(
                        (topic, cursors) ->
                                cursors.forEach(
                                        each ->
                                                numbers.put(
                                                        topic
                                                                + "-"
                                                                + each.partition()
                                                                + " "
                                                                + each.cursor(),
                                                        number.apply(each))));
        return numbers;
    }

    @Override
    public int getPoisonedPartitions() {
        return (int)
                store.metrics().partitions().stream().filter(PartitionMetrics::isPoisoned).count();
    }

    @Override
    public Map<String, Long> getTierUsedBytes() {
        return byTier(TierMetrics::usedBytes);
    }

    @Override
    public Map<String, Long> getTierSpilledSegments() {
        return byTier(TierMetrics::spilledSegments);
    }

    private Map<String, Long> byTier(Function<TierMetrics, Long> number) {
        Map<String, Long> numbers = new TreeMap<>();
        store.metrics().tiers().forEach(tier -> numbers.put(tier.name(), number.apply(tier)));
        return numbers;
    }

    @Override
    public List<String> getFindings() {
        return store.findings().stream().map(each -> each.severity() + " " + each).toList();
    }

    @Override
    public Map<String, Long> getThreadsStillMs() {
        Map<String, Long> still = new TreeMap<>();
        transport.threads().forEach((name, time) -> still.put(name, time.toMillis()));
        HostedStore.of(store)
                .backgroundThreads()
                .forEach((name, time) -> still.put(name, time.toMillis()));
        return still;
    }

    @Override
    public long getBackgroundErrors() {
        return store.metrics().backgroundErrors();
    }
}
