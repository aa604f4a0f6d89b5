package io.firn.server.quota;

import java.util.Locale;

/** What a quota limits, by Kafka's names. */
public enum QuotaType {
    /** Bytes of produce requests in a second. */
    PRODUCER_BYTE_RATE(0x1p53), // beyond this, not all whole numbers can be sent
    /** Bytes of records in answers to fetch requests in a second. */
    CONSUMER_BYTE_RATE(0x1p53),
    /** Partitions that are created or deleted in a second; need not be a whole number. */
    CONTROLLER_MUTATION_RATE(Double.MAX_VALUE),
    /**
     * The time that threads spend on requests, in percent of the time of one thread; need not be a
     * whole number.
     */
    REQUEST_PERCENTAGE(Double.MAX_VALUE),
    /** Connections of an address in a second. */
    CONNECTION_CREATION_RATE(Integer.MAX_VALUE);

    private final String word = name().toLowerCase(Locale.ROOT);
    private final double most;

    QuotaType(double most) {
        this.most = most;
    }

    /** Returns the name that clients use. */
    public String word() {
        return word;
    }

    /** Returns whether values are whole numbers. */
    public boolean isWhole() {
        return this != CONTROLLER_MUTATION_RATE && this != REQUEST_PERCENTAGE;
    }

    /** Returns whether it is for addresses; else it is for users and client ids. */
    public boolean isForIp() {
        return this == CONNECTION_CREATION_RATE;
    }

    /** Returns the greatest value. */
    public double most() {
        return most;
    }

    /** Returns the key of a name; null if there is none. */
    public static QuotaType find(String word) {
        for (QuotaType each : values()) {
            if (each.word.equals(word)) {
                return each;
            }
        }
        return null;
    }
}
