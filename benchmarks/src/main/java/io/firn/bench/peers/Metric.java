package io.firn.bench.peers;

import java.util.List;
import java.util.stream.Stream;

/**
 * A figure of a run.
 *
 * @param key its name in files
 * @param title its name in tables
 * @param unit ns, B or ms
 */
record Metric(String key, String title, String unit) {
    static final Metric NS = new Metric("ns", "time per record", "ns");
    static final Metric CPU_NS = new Metric("cpu", "CPU time of the process per record", "ns");
    static final Metric CPU_USER = new Metric("cpu.user", "CPU time per record, user", "ns");
    static final Metric CPU_SYSTEM = new Metric("cpu.system", "CPU time per record, system", "ns");
    static final Metric ALLOCATED =
            new Metric("allocated", "heap allocated per record by the appending thread", "B");
    static final Metric DISK = new Metric("disk", "allocated blocks per record after close", "B");
    static final Metric FIRST_NS = new Metric("first", "time per record, first pass", "ns");
    static final Metric AGAIN_NS = new Metric("again", "time per record, later passes", "ns");
    static final Metric AGAIN_CPU_NS =
            new Metric("again.cpu", "CPU time of the process per record, later passes", "ns");
    static final Metric AGAIN_ALLOCATED =
            new Metric("again.allocated", "heap allocated per record by the reading thread", "B");
    static final Metric OPEN_MS = new Metric("open", "open and first append", "ms");

    static final List<Metric> APPEND = List.of(NS, CPU_NS, CPU_USER, CPU_SYSTEM, ALLOCATED, DISK);

    /** The percentiles that tables show. */
    static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9, 99.99);

    /** Returns the percentiles of a latency; a run has them for each rate. */
    static List<Metric> latencies() {
        return Stream.concat(
                        PERCENTILES.stream().map(Metric::percentile),
                        Stream.of(new Metric("max", "max", "ns")))
                .toList();
    }

    static Metric percentile(double percentile) {
        String name = "p" + (percentile % 1 == 0 ? "" + (int) percentile : "" + percentile);
        return new Metric(name, name, "ns");
    }

    /** Returns this metric of one rate. */
    Metric at(int rate) {
        return new Metric(rate + "." + key, title, unit);
    }
}
