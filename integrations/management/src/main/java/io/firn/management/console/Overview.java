package io.firn.management.console;

import io.firn.Finding;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.StoreMetrics;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.server.ManagementService;
import io.firn.server.ServerMetricsMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** Numbers of the server at one moment. Those that only grow are counts since the start. */
final class Overview {
    private static final int MOST_FINDINGS = 100;

    private final Snapshots now;
    private final ServerMetricsMXBean server;
    private final String records;
    private final String version = version();

    Overview(Snapshots now, ServerMetricsMXBean server, String records) {
        this.now = now;
        this.server = server;
        this.records = records;
    }

    private static String version() {
        Properties built = new Properties();
        try (InputStream in = ManagementService.class.getResourceAsStream("version.properties")) {
            built.load(in);
            return built.getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sums over all partitions. */
    record Sums(
            long topics,
            int partitions,
            long segments,
            long bytes,
            long appended,
            long forces,
            long forcedBytes,
            long stalls,
            long backlogBytes,
            long undecided,
            long poisoned) {

        static Sums of(List<PartitionMetrics> all) {
            return new Sums(
                    all.stream().map(PartitionMetrics::topic).distinct().count(),
                    all.size(),
                    all.stream().mapToLong(PartitionMetrics::segments).sum(),
                    all.stream().mapToLong(PartitionMetrics::bytes).sum(),
                    all.stream().mapToLong(PartitionMetrics::nextOffset).sum(),
                    all.stream().mapToLong(PartitionMetrics::forces).sum(),
                    all.stream().mapToLong(PartitionMetrics::forcedBytes).sum(),
                    all.stream().mapToLong(PartitionMetrics::stalls).sum(),
                    all.stream().mapToLong(PartitionMetrics::backlogBytes).sum(),
                    all.stream().mapToLong(PartitionMetrics::undecided).sum(),
                    all.stream().filter(PartitionMetrics::isPoisoned).count());
        }
    }

    /** Times by class: the count at an index is of those up to the bound there. */
    record Times(List<Double> boundsMs, List<Long> counts) {
        static Times of(List<Double> boundsMs, Map<String, List<Long>> all, String api) {
            return new Times(boundsMs, all.getOrDefault(api, List.of()));
        }

        static Times ofForces(StoreMetrics metrics) {
            List<Double> bounds = new ArrayList<>();
            List<Long> counts = new ArrayList<>();
            metrics.forceTimes()
                    .forEach(
                            (bound, count) -> {
                                bounds.add(bound.toNanos() / 1e6);
                                counts.add(count);
                            });
            return new Times(bounds, counts);
        }
    }

    /** Numbers of the server. */
    record Clients(
            int connections,
            int groups,
            long requests,
            Map<String, Long> requestsByApi,
            long queuedBytes,
            long throttles,
            long stillMs) {}

    /** A tier, in short. */
    record Tier(String label, String name, Long capacityBytes, long usedBytes, Long freeBytes) {
        static Tier of(TierMetrics tier) {
            return new Tier(
                    tier.label(),
                    tier.name(),
                    tier.capacityBytes().isPresent() ? tier.capacityBytes().getAsLong() : null,
                    tier.usedBytes(),
                    tier.freeBytes().isPresent() ? tier.freeBytes().getAsLong() : null);
        }
    }

    /**
     * The answer.
     *
     * @param records what the console shows of records
     * @param findings the most severe and latest ones, of as many as there are
     */
    record Answer(
            String version,
            String directory,
            String records,
            long timeMs,
            Sums log,
            Clients server,
            Times produce,
            Times fetch,
            Times forces,
            ProcessNumbers process,
            List<Tier> tiers,
            int transactions,
            long backgroundErrors,
            int findingCount,
            List<ShownFinding> findings) {}

    Answer answer() {
        StoreMetrics store = now.metrics();
        List<Double> bounds = server.getRequestTimeBoundsMs();
        Map<String, List<Long>> times = server.getRequestTimes();
        List<Finding> findings = now.store().findings();
        return new Answer(
                version,
                now.store().directory().toAbsolutePath().normalize().toString(),
                records,
                Instant.now().toEpochMilli(),
                Sums.of(now.partitions()),
                clients(),
                Times.of(bounds, times, "Produce"),
                Times.of(bounds, times, "Fetch"),
                Times.ofForces(store),
                ProcessNumbers.now(),
                store.tiers().stream().map(Tier::of).toList(),
                store.transactions().size(),
                store.backgroundErrors(),
                findings.size(),
                findings.stream()
                        .sorted(
                                Comparator.comparing(Finding::severity)
                                        .thenComparing(Finding::since)
                                        .reversed())
                        .limit(MOST_FINDINGS)
                        .map(ShownFinding::of)
                        .toList());
    }

    private Clients clients() {
        return new Clients(
                server.getConnections(),
                server.getGroups(),
                server.getRequests(),
                server.getRequestsByApi(),
                server.getQueuedBytes(),
                server.getThrottles(),
                server.getThreadsStillMs().values().stream()
                        .mapToLong(Long::longValue)
                        .max()
                        .orElse(0));
    }
}
