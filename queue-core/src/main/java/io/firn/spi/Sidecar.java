package io.firn.spi;

/** Derived data that lies beside a sealed segment. Missing or damaged, it is rebuilt. */
public enum Sidecar {
    /** Offset to position, in Kafka's format. */
    INDEX,
    /** Timestamp to offset, in Kafka's format. */
    TIMEINDEX
}
