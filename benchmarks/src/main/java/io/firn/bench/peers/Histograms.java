package io.firn.bench.peers;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Latencies in ns, up to 10 s. */
final class Histograms {
    private static final long MAX_NS = 10_000_000_000L;
    private static final String KEY = "histogram.";

    private Histograms() {}

    static Histogram create() {
        return new Histogram(MAX_NS, 3);
    }

    static void record(Histogram histogram, long ns) {
        histogram.recordValue(Math.min(Math.max(ns, 0), MAX_NS));
    }

    /** Adds the percentiles and the whole histogram of a rate to the figures of a run. */
    static void put(Map<String, String> figures, int rate, Histogram histogram) {
        for (double percentile : Metric.PERCENTILES) {
            figures.put(
                    Metric.percentile(percentile).at(rate).key(),
                    Long.toString(histogram.getValueAtPercentile(percentile)));
        }
        figures.put(rate + ".max", Long.toString(histogram.getMaxValue()));
        figures.put(KEY + rate, encode(histogram));
    }

    private static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    /** Adds the histogram that a run has of a rate, if it has one. */
    static void addTo(Histogram sum, Map<String, String> figures, int rate) {
        String encoded = figures.get(KEY + rate);
        if (encoded == null) {
            return;
        }
        try {
            sum.add(
                    Histogram.decodeFromCompressedByteBuffer(
                            ByteBuffer.wrap(Base64.getDecoder().decode(encoded)), MAX_NS));
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("the histogram of a run is corrupted", e);
        }
    }
}
