package io.firn.management.console;

import io.firn.InvalidOptionException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The parameters of a request. The caller names the range that each may have. */
final class Query {
    private static final int MOST_CHARS = 1_000;
    private static final int MOST_PAGES = 1_000_000;

    private final Map<String, String> values = new HashMap<>();

    private Query() {}

    /**
     * Reads them.
     *
     * @param raw as in an address; null if there are none
     */
    static Query of(String raw) {
        Query query = new Query();
        if (raw != null && !raw.isEmpty()) {
            for (String each : raw.split("&")) {
                int equals = each.indexOf('=');
                String name = equals < 0 ? each : each.substring(0, equals);
                String value = equals < 0 ? "" : each.substring(equals + 1);
                query.values.put(decode(name), decode(value));
            }
        }
        return query;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new InvalidOptionException("not encoded as in an address: " + text);
        }
    }

    boolean has(String name) {
        return !values.getOrDefault(name, "").isEmpty();
    }

    /** Returns a text, or a default. */
    String text(String name, String otherwise) {
        String value = values.getOrDefault(name, otherwise);
        if (value.length() > MOST_CHARS) {
            throw new InvalidOptionException(name + " may have " + MOST_CHARS + " characters");
        }
        return value;
    }

    /** Returns a text that has to be there. */
    String text(String name) {
        if (!has(name)) {
            throw new InvalidOptionException("the parameter " + name + " is missing");
        }
        return text(name, "");
    }

    /** Returns one of some words; the first if it is not given. */
    String oneOf(String name, List<String> words) {
        String value = text(name, words.get(0));
        if (!words.contains(value)) {
            throw new InvalidOptionException(name + " is one of " + words + ", not " + value);
        }
        return value;
    }

    /** Returns a number between two, both included, or a default. */
    long number(String name, long otherwise, long least, long most) {
        if (!has(name)) {
            return otherwise;
        }
        try {
            long value = Long.parseLong(text(name));
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new InvalidOptionException(
                name + " is a number from " + least + " to " + most + ", not " + text(name));
    }

    /** Returns which page is asked for, from 0. */
    int page() {
        return (int) number("page", 0, 0, MOST_PAGES);
    }

    /** Returns whether a name has the text in it that is asked for, in letters of any case. */
    boolean matches(String name) {
        String wanted = text("filter", "").toLowerCase(Locale.ROOT);
        return name.toLowerCase(Locale.ROOT).contains(wanted);
    }
}
