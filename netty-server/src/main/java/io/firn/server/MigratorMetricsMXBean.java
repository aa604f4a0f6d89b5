package io.firn.server;

import java.util.Map;

/**
 * What moves segments between tiers, in numbers, over JMX as {@code
 * io.firn:type=Migrator,name="DIRECTORY"} with the store's directory. All counts are since the
 * server started.
 */
public interface MigratorMetricsMXBean {

    /** Whether segments are moved; not with one tier, and not when that is turned off. */
    boolean isRunning();

    /** Moves that are due and have not begun. */
    int getPendingMoves();

    /** Bytes copied so far by each move that is under way, by {@code TOPIC-PARTITION@OFFSET}. */
    Map<String, Long> getCopiedBytes();

    /** Segments moved to colder tiers. */
    long getMovedDown();

    /** Segments moved to hotter tiers. */
    long getMovedUp();

    /** Bytes moved to colder tiers. */
    long getMovedDownBytes();

    /** Bytes moved to hotter tiers. */
    long getMovedUpBytes();

    /** How often a move failed. */
    long getFailures();

    /** What failed last, in words; null when nothing did. */
    String getLastFailure();

    /** Moves that failed and are tried again: why, by {@code TOPIC-PARTITION@OFFSET}. */
    Map<String, String> getFailingMoves();
}
