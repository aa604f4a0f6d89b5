package io.firn.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/** The results of the iterations of a benchmark over all of its forks, as medians. */
final class Sample {
    static final List<String> PERCENTILES = List.of("p50", "p90", "p99", "p999", "p9999");

    private final List<Double> ns = new ArrayList<>();
    private final List<Double> bytes = new ArrayList<>();
    private final Map<String, List<Double>> percentiles = new LinkedHashMap<>();

    /** Adds the results of a fork. */
    void add(Bench bench, RunResult run) {
        double records = bench.recordsPerScore();
        for (BenchmarkResult fork : run.getBenchmarkResults()) {
            for (IterationResult iteration : fork.getIterationResults()) {
                double score = iteration.getPrimaryResult().getScore();
                // The time of one thread; the others appended as many records in that time.
                ns.add(score / records / bench.threads());
                Map<String, ? extends Result<?>> second = secondary(iteration);
                Result<?> allocated = second.get("gc.alloc.rate.norm");
                if (allocated != null) {
                    bytes.add(allocated.getScore() / records);
                }
                for (String name : PERCENTILES) {
                    Result<?> percentile = second.get(name);
                    if (percentile != null) {
                        percentiles
                                .computeIfAbsent(name, n -> new ArrayList<>())
                                .add(percentile.getScore());
                    }
                }
            }
        }
    }

    @SuppressWarnings("rawtypes") // JMH returns raw types
    private static Map<String, Result<?>> secondary(IterationResult iteration) {
        Map<String, Result<?>> results = new LinkedHashMap<>();
        for (Map.Entry<String, Result> e : iteration.getSecondaryResults().entrySet()) {
            results.put(e.getKey(), e.getValue());
        }
        return results;
    }

    boolean hasPercentiles() {
        return !percentiles.isEmpty();
    }

    /** Returns nanoseconds per record, or the 50th percentile of the latency if it was measured. */
    double ns() {
        return hasPercentiles() ? percentile("p50") : median(ns);
    }

    /** Returns bytes allocated per record by all threads. */
    double bytes() {
        return median(bytes);
    }

    double percentile(String name) {
        return median(percentiles.get(name));
    }

    static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        int n = sorted.length;
        if (n == 0) {
            return Double.NaN;
        }
        return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    }
}
