package io.firn.log;

import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** How long the forces of a store took, in powers of two of microseconds. Thread-safe. */
public final class ForceTimes {
    private static final int MOST_BITS = 27;

    private final LongAdder[] counts = new LongAdder[MOST_BITS + 1];
    private final LongAdder totalNs = new LongAdder();

    ForceTimes() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    /** Counts a force, for as many as it stands for. */
    public void add(long ns, int forces) {
        long us = Math.max(0, ns - 1) / 1_000;
        int bits = Long.SIZE - Long.numberOfLeadingZeros(us);
        counts[Math.min(bits, MOST_BITS)].add(forces);
        totalNs.add(ns * forces);
    }

    /** Returns the counts by the longest time of each. */
    public SortedMap<Duration, Long> counts() {
        SortedMap<Duration, Long> all = new TreeMap<>();
        for (int i = 0; i < counts.length; i++) {
            all.put(Duration.ofNanos(1_000L << i), counts[i].sum());
        }
        return Collections.unmodifiableSortedMap(all);
    }

    /** Returns the time of all. */
    public Duration total() {
        return Duration.ofNanos(totalNs.sum());
    }
}
