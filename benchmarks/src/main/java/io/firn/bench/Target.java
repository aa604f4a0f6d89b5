package io.firn.bench;

import java.util.Locale;

/**
 * A target and what was measured.
 *
 * @param name without spaces
 * @param measured the figure
 * @param wanted the target
 * @param atMost whether the target is an upper bound
 */
record Target(String name, double measured, double wanted, boolean atMost) {
    static Target atMost(String name, double measured, double wanted) {
        return new Target(name, measured, wanted, true);
    }

    static Target atLeast(String name, double measured, double wanted) {
        return new Target(name, measured, wanted, false);
    }

    /** Whether the target is met, comparing the rounded figures that are printed. */
    boolean isMet() {
        double shown = Math.round(measured * 100) / 100.0;
        return atMost ? shown <= wanted : shown >= wanted;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "target %s measured %.2f wanted %s %s %s",
                name,
                measured,
                atMost ? "<=" : ">=",
                wanted,
                isMet() ? "met" : "missed");
    }
}
