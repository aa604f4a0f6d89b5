package io.firn.bench.kafka;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * What a server did and used while a load ran.
 *
 * @param gb bytes of batches that were produced or fetched, in 10⁹
 * @param compilerSeconds what the JIT compilers used, which is also in the other two
 * @param writtenBytes bytes that the process caused to be written to a device
 */
record ServerFigures(
        double seconds,
        double gb,
        double userSeconds,
        double systemSeconds,
        double compilerSeconds,
        long writtenBytes,
        Histogram latency) {

    /** Reads a server's counters before a load. */
    static final class Meter {
        private final Broker broker;
        private final double user;
        private final double system;
        private final double compilers;
        private final long written;
        private final long startNs;

        Meter(Broker broker) throws IOException {
            this.broker = broker;
            this.user = broker.userSeconds();
            this.system = broker.systemSeconds();
            this.compilers = broker.compilerSeconds();
            this.written = broker.writtenBytes();
            this.startNs = System.nanoTime();
        }

        /** Reads them again after it. */
        ServerFigures after(double gb, Histogram latency) throws IOException {
            return new ServerFigures(
                    (System.nanoTime() - startNs) / 1e9,
                    gb,
                    broker.userSeconds() - user,
                    broker.systemSeconds() - system,
                    broker.compilerSeconds() - compilers,
                    broker.writtenBytes() - written,
                    latency);
        }
    }

    double cpuPerGb() {
        return (userSeconds + systemSeconds) / gb;
    }

    double requestsPerSecond() {
        return latency.getTotalCount() / seconds;
    }

    /** Returns the figures with the median of the processor time. */
    static ServerFigures median(List<ServerFigures> turns) {
        return turns.stream()
                .sorted(Comparator.comparingDouble(ServerFigures::cpuPerGb))
                .toList()
                .get(turns.size() / 2);
    }

    static String head() {
        return "| load | server | requests/s | MB/s | CPU s/GB | user | system | JIT | p50 ms |"
                + " p99 ms | written B/B | CPU s/GB of each turn |\n"
                + "|---|---|---|---|---|---|---|---|---|---|---|---|";
    }

    /** Returns the row of a table with the median of turns, and the processor time of each. */
    static String row(String load, String server, List<ServerFigures> turns) {
        String all =
                turns.stream()
                        .map(each -> String.format(Locale.ROOT, "%.3f", each.cpuPerGb()))
                        .collect(Collectors.joining(", "));
        return median(turns).row(load, server, all);
    }

    private String row(String load, String server, String turns) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %.0f | %.0f | %.3f | %.3f | %.3f | %.3f | %.2f | %.2f | %.2f | %s |",
                load,
                server,
                requestsPerSecond(),
                gb * 1e3 / seconds,
                cpuPerGb(),
                userSeconds / gb,
                systemSeconds / gb,
                compilerSeconds / gb,
                latency.getValueAtPercentile(50) / 1e6,
                latency.getValueAtPercentile(99) / 1e6,
                writtenBytes / (gb * 1e9),
                turns);
    }

    /** Returns the ratios of ours to theirs. */
    static String ratio(String label, ServerFigures theirs, ServerFigures ours) {
        return String.format(
                Locale.ROOT,
                "| | %s | %.2f | | %.2f | | | | | %.2f | | |",
                label,
                ours.requestsPerSecond() / theirs.requestsPerSecond(),
                ours.cpuPerGb() / theirs.cpuPerGb(),
                ours.latency.getValueAtPercentile(99)
                        / (double) theirs.latency.getValueAtPercentile(99));
    }
}
