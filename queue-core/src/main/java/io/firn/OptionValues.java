package io.firn;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/** What the options of stores and of topics have in common. */
final class OptionValues {
    private static final Pattern TIER_LABEL = Pattern.compile("[a-z0-9-]{1,32}");

    private OptionValues() {}

    static boolean isTierLabel(String label) {
        return TIER_LABEL.matcher(label).matches();
    }

    /** In whole ms; a duration that does not fit into a long is refused. */
    static long millis(String name, Duration value) {
        Objects.requireNonNull(value, name);
        try {
            return value.toMillis();
        } catch (ArithmeticException e) {
            throw new InvalidOptionException(name + " is too long: " + value);
        }
    }
}
