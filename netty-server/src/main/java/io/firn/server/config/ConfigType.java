package io.firn.server.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The type of a configuration value; ids as in DescribeConfigs.
 *
 * @see ServerConfig
 */
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
    LIST(7),
    /** Any text, which is not shown. */
    PASSWORD(9);

    private final byte id;

    ConfigType(int id) {
        this.id = (byte) id;
    }

    /** Returns the id of the type in the Kafka protocol. */
    public byte id() {
        return id;
    }

    /**
     * Returns the items of a list, without surrounding blanks. Keeps empty items, as Kafka does.
     */
    public static List<String> itemsOf(String list) {
        if (list.isBlank()) {
            return List.of();
        }
        // A pattern that matched the blanks would take quadratic time for many of them.
        return Arrays.stream(list.split(",", -1)).map(String::trim).toList();
    }

    /** Returns whether a text is a value of this type. */
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
