package io.firn.server.quota;

import java.util.Locale;

/** What a quota limits, by Kafka's names. Values are whole numbers. */
public enum QuotaKey {
    /** Bytes of produce requests in a second. */
    PRODUCER_BYTE_RATE,
    /** Bytes of records in answers to fetch requests in a second. */
    CONSUMER_BYTE_RATE;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** Returns the name that clients use. */
    public String word() {
        return word;
    }

    /** Returns the key of a name; null if there is none. */
    public static QuotaKey find(String word) {
        for (QuotaKey each : values()) {
            if (each.word.equals(word)) {
                return each;
            }
        }
        return null;
    }
}
