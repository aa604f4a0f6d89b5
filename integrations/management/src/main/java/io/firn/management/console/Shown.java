package io.firn.management.console;

import java.util.Locale;

/** What is shown of records. */
enum Shown {
    METADATA,
    KEYS,
    VALUES;

    static Shown of(String option) {
        return valueOf(option.toUpperCase(Locale.ROOT));
    }

    boolean hasKeys() {
        return this != METADATA;
    }

    boolean hasValues() {
        return this == VALUES;
    }
}
