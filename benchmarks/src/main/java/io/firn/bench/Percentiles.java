package io.firn.bench;

import org.HdrHistogram.Histogram;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Latency percentiles in ns; each is a secondary result of JMH. */
@AuxCounters(AuxCounters.Type.EVENTS)
@State(Scope.Thread)
public class Percentiles {
    /** The 50th percentile. */
    public long p50;

    /** The 90th percentile. */
    public long p90;

    /** The 99th percentile. */
    public long p99;

    /** The 99.9th percentile. */
    public long p999;

    /** The 99.99th percentile. */
    public long p9999;

    void of(Histogram histogram) {
        p50 = histogram.getValueAtPercentile(50);
        p90 = histogram.getValueAtPercentile(90);
        p99 = histogram.getValueAtPercentile(99);
        p999 = histogram.getValueAtPercentile(99.9);
        p9999 = histogram.getValueAtPercentile(99.99);
    }
}
