package io.firn.spi;

/** Derived data beside a sealed segment. It is rebuilt when missing or damaged. */
public enum Sidecar {
    /** Maps offsets to positions, in Kafka's format. */
    INDEX,
    /** Maps timestamps to offsets, in Kafka's format. */
    TIMEINDEX
}
