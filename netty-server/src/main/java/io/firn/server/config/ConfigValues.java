package io.firn.server.config;

import java.util.List;
import java.util.Map;

/**
 * The values of a configuration, with the defaults.
 *
 * @param given those that are set, by key
 */
record ConfigValues(Map<String, String> given) {

    boolean has(String key) {
        return given.containsKey(key);
    }

    /** Returns a value as text, or its default; null when there is neither. */
    String text(String key) {
        ConfigKey known = ServerKeys.find(key);
        if (known == null) {
            throw new IllegalArgumentException("no configuration key " + key);
        }
        return given.getOrDefault(key, known.defaultValue());
    }

    /** Returns the items of a value, without those that are blank. */
    List<String> list(String key) {
        String text = text(key);
        return ConfigType.itemsOf(text == null ? "" : text).stream()
                .filter(item -> !item.isEmpty())
                .toList();
    }
}
