package io.firn.bench;

import org.HdrHistogram.Histogram;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Latencies in ns; each is a secondary result of JMH's. */
@AuxCounters(AuxCounters.Type.EVENTS)
@State(Scope.Thread)
public class Percentiles {
    /** Half are faster. */
    public long p50;

    /** Nine of ten are faster. */
    public long p90;

    /** All but one of a hundred are faster. */
    public long p99;

    /** All but one of a thousand are faster. */
    public long p999;

    /** All but one of ten thousand are faster. */
    public long p9999;

    void of(Histogram histogram) {
        p50 = histogram.getValueAtPercentile(50);
        p90 = histogram.getValueAtPercentile(90);
        p99 = histogram.getValueAtPercentile(99);
        p999 = histogram.getValueAtPercentile(99.9);
        p9999 = histogram.getValueAtPercentile(99.99);
    }
}
