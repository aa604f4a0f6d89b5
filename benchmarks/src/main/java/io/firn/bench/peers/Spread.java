package io.firn.bench.peers;

import java.util.Arrays;
import java.util.Collection;

/**
 * The median and the quartiles of some runs, interpolated between neighbours.
 *
 * @param runs how many there are
 * @param lower quartile
 * @param median of all
 * @param upper quartile
 */
record Spread(int runs, double lower, double median, double upper) {
    /** Returns the spread of values; all is NaN if there are none. */
    static Spread of(Collection<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return new Spread(sorted.length, at(sorted, 0.25), at(sorted, 0.5), at(sorted, 0.75));
    }

    private static double at(double[] sorted, double part) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        double place = part * (sorted.length - 1);
        int below = (int) place;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
    }
}
