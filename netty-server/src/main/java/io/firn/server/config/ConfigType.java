package io.firn.server.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How a configured value reads; ids as in DescribeConfigs. */
public enum ConfigType {
    /** true or false. */
    BOOLEAN(1),
    /** Any text. */
    STRING(2),
    /** 32 bits. */
    INT(3),
    /** 64 bits. */
    LONG(5),
    /** A decimal number. */
    DOUBLE(6),
    /** Text, separated by commas. */
    LIST(7);

    private final byte id;

    ConfigType(int id) {
        this.id = (byte) id;
    }

    /** As on the wire. */
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
