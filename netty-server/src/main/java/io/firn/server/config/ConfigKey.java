package io.firn.server.config;

import io.firn.InvalidOptionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * A configuration key.
 *
 * @param name the key in a properties file
 * @param type the type of its value
 * @param defaultValue the default as text; null when there is none
 * @param rules what a value of that type must fulfil in addition
 * @see ServerConfig
 */
public record ConfigKey(String name, ConfigType type, String defaultValue, List<Rule> rules) {

    /**
     * What values are accepted.
     *
     * @param expected the rule in words, which follow "must be" in a message
     * @param accepts checks a value of the key's type, without blanks around it
     */
    public record Rule(String expected, Predicate<String> accepts) {}

    static ConfigKey of(String name, ConfigType type, Object defaultValue) {
        return new ConfigKey(
                name, type, defaultValue == null ? null : defaultValue.toString(), List.of());
    }

    /** Returns a key whose values must also meet a rule. */
    ConfigKey meeting(String expected, Predicate<String> accepts) {
        List<Rule> all = new ArrayList<>(rules);
        all.add(new Rule(expected, accepts));
        return new ConfigKey(name, type, defaultValue, List.copyOf(all));
    }

    /** Refuses an empty value, which would be taken for the default, or for the directory "". */
    ConfigKey notEmpty() {
        return meeting(
                "a value; to have the default, remove the key",
                value -> ConfigType.itemsOf(value).stream().anyMatch(item -> !item.isEmpty()));
    }

    ConfigKey atLeast(long least) {
        return meeting("at least " + least, value -> Double.parseDouble(value) >= least);
    }

    ConfigKey atMost(long most) {
        return meeting("at most " + most, value -> Double.parseDouble(value) <= most);
    }

    /**
     * Accepts only these choices; in a list, each item must be one of them, and the list may be
     * empty.
     */
    ConfigKey oneOf(String... choices) {
        List<String> all = List.of(choices);
        return meeting(
                "of " + all,
                type == ConfigType.LIST
                        ? value -> all.containsAll(ConfigType.itemsOf(value))
                        : all::contains);
    }

    /** Accepts only the default: a property of the server that cannot be configured. */
    ConfigKey fixed() {
        String only = defaultValue == null ? "" : defaultValue;
        return type == ConfigType.BOOLEAN
                ? meeting(only, value -> value.toLowerCase(Locale.ROOT).equals(only))
                : meeting("'" + only + "'", only::equals);
    }

    /**
     * Checks a value.
     *
     * @throws InvalidOptionException when it is invalid; says what is expected
     */
    public void check(String value) {
        String trimmed = value == null ? "" : value.trim();
        if (value == null || !type.accepts(trimmed)) {
            throw new InvalidOptionException(
                    name + " must be of type " + type + ", found " + shown(value));
        }
        for (Rule rule : rules) {
            if (!rule.accepts.test(trimmed)) {
                throw new InvalidOptionException(
                        name + " must be " + rule.expected + ", found " + shown(value));
            }
        }
    }

    /** Returns whether the value is a secret, which is shown to nobody. */
    public boolean isSecret() {
        return type == ConfigType.PASSWORD;
    }

    private String shown(String value) {
        return isSecret() ? "another (the value is a secret)" : "'" + value + "'";
    }
}
