package io.firn.micrometer;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One number of a thing.
 *
 * @param kind how it changes, and how those of several members are combined
 * @param name the name of its meters
 * @param unit what it counts; null for things without a unit
 * @param meaning a description for people
 * @param value what it is for one member; NaN when it has none
 */
record Measure<T>(Kind kind, String name, String unit, String meaning, ToDoubleFunction<T> value) {

    /** Kinds of numbers. */
    enum Kind {
        /** Goes up and down; the sum of all members. */
        GAUGE,
        /** Only goes up while the store is open; the sum of all members. */
        COUNTER,
        /** A time in seconds; the longest of all members. */
        LONGEST
    }

    double of(List<T> members) {
        return kind == Kind.LONGEST
                ? members.stream().mapToDouble(value).reduce(Double.NaN, Measure::longer)
                : members.stream().mapToDouble(value).sum();
    }

    /** A time that is not known does not hide one that is. */
    private static double longer(double one, double other) {
        return Double.isNaN(one) || other > one ? other : one;
    }
}
