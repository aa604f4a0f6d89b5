package io.firn.server.config;

import io.firn.InvalidOptionException;
import java.util.Arrays;
import java.util.List;

/**
 * A configuration key.
 *
 * @param name as in a properties file
 * @param type how its value reads
 * @param defaultValue as text; null when there is none
 * @param least of numbers
 * @param choices what else is refused, when not empty; of a list, each of its items
 */
public record ConfigKey(
        String name, ConfigType type, String defaultValue, double least, List<String> choices) {

    static ConfigKey of(String name, ConfigType type, Object defaultValue) {
        return new ConfigKey(
                name,
                type,
                defaultValue == null ? null : defaultValue.toString(),
                Double.NEGATIVE_INFINITY,
                List.of());
    }

    ConfigKey atLeast(double value) {
        return new ConfigKey(name, type, defaultValue, value, choices);
    }

    ConfigKey oneOf(String... values) {
        return new ConfigKey(name, type, defaultValue, least, List.of(values));
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
                    name + " must be of type " + type + ", found '" + value + "'");
        }
        boolean isNumber =
                type == ConfigType.INT || type == ConfigType.LONG || type == ConfigType.DOUBLE;
        if (isNumber && Double.parseDouble(trimmed) < least) {
            throw new InvalidOptionException(
                    name + " is to be at least " + (long) least + ", found " + trimmed);
        }
        if (!choices.isEmpty()) {
            String[] items = type == ConfigType.LIST ? trimmed.split(",") : new String[] {trimmed};
            if (!Arrays.stream(items).map(String::trim).allMatch(choices::contains)) {
                throw new InvalidOptionException(
                        name + " is to be of " + choices + ", found '" + value + "'");
            }
        }
    }
}
