package io.firn;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/** What the options of stores and of topics have in common. */
final class OptionValues {
    private static final Pattern TIER_LABEL = Pattern.compile("[a-z0-9-]{1,32}");

    private OptionValues() {}

    static boolean isTierLabel(String label) {
        return TIER_LABEL.matcher(label).matches();
    }

    /** As a set in the order in which they are given; refuses a name that is given twice. */
    static Set<String> distinct(String option, Collection<String> names) {
        Set<String> distinct = new LinkedHashSet<>();
        for (String name : names) {
            if (!distinct.add(name)) {
                throw new InvalidOptionException(
                        option + ": each name is given once, '" + name + "' was given twice");
            }
        }
        return Collections.unmodifiableSet(distinct);
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

    /** In whole ms, rounded up: 500 µs are not 0, which may mean at once. */
    static Duration wholeMillis(String name, Duration value) {
        long ms = millis(name, value);
        if (value.isNegative()) {
            throw new InvalidOptionException(name + " must not be negative, found " + value);
        }
        boolean isWhole = value.getNano() % 1_000_000 == 0 || ms == Long.MAX_VALUE;
        return Duration.ofMillis(isWhole ? ms : ms + 1);
    }

    static Duration atLeast(String name, Duration value, Duration least) {
        if (value.compareTo(least) < 0) {
            throw new InvalidOptionException(
                    name + " must be " + least + " or longer, not " + value);
        }
        return value;
    }

    static long notNegative(String name, long value) {
        if (value < 0) {
            throw new InvalidOptionException(name + " must be 0 or more, not " + value);
        }
        return value;
    }

    /** The text of an option's value, for messages. */
    static String shown(Object value) {
        if (value instanceof Optional<?> limit) {
            return limit.map(Object::toString).orElse("unlimited");
        }
        if (value instanceof OptionalLong limit) {
            return limit.isPresent() ? Long.toString(limit.getAsLong()) : "unlimited";
        }
        return String.valueOf(value);
    }

    static int inRange(String name, int value, int least, int most) {
        return (int) inRange(name, (long) value, least, most);
    }

    static long inRange(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new InvalidOptionException(
                    name + " must be from " + least + " to " + most + ", not " + value);
        }
        return value;
    }
}
