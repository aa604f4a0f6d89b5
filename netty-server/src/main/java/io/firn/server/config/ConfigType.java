package io.firn.server.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The type of a configuration value; ids as in DescribeConfigs. */
public enum ConfigType {
    /** {@code true} or {@code false}. */
    BOOLEAN(1),
    /** Any text. */
    STRING(2),
    /** A 32-bit integer. */
    INT(3),
    /** A 64-bit integer. */
    LONG(5),
    /** A decimal number. */
    DOUBLE(6),
    /** A list of texts, separated by commas. */
    LIST(7);

    private final byte id;

    ConfigType(int id) {
        this.id = (byte) id;
    }

    /** Returns the id of the type in the Kafka protocol. */
    public byte id() {
        return id;
    }

    /** The items of a list, without the blanks around them; empty ones are kept, as in Kafka. */
    public static List<String> itemsOf(String list) {
        if (list.isBlank()) {
            return List.of();
        }
        // A pattern with the blanks in it would take quadratic time for many of them.
        return Arrays.stream(list.split(",", -1)).map(String::trim).toList();
    }

    /** Whether a text is such a value. */
    boolean accepts(String text) {
        try {
            switch (this) {
                case BOOLEAN -> {
                    String lower = text.toLowerCase(Locale.ROOT);
                    return lower.equals("true") || lower.equals("false");
                }
                case INT -> Integer.parseInt(text);
                case LONG -> Long.parseLong(text);
                case DOUBLE -> Double.parseDouble(text);
                default -> {
                    return true;
                }
            }
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
