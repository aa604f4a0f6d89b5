package io.firn.server;

import java.util.Map;

/**
 * Metrics of the migrator, over JMX as {@code io.firn:type=Migrator,name="DIRECTORY"} with the
 * store's directory. All counts are since the server started.
 *
 * @see FirnServer
 */
public interface MigratorMetricsMXBean {

    /** Returns whether segments are moved; false with one tier, or when migration is off. */
    boolean isRunning();

    /** Returns the number of moves that are due and have not begun. */
    int getPendingMoves();

    /** Returns the bytes copied so far by each current move, by {@code TOPIC-PARTITION@OFFSET}. */
    Map<String, Long> getCopiedBytes();

    /** Returns the number of segments moved to colder tiers. */
    long getMovedDown();

    /** Returns the number of segments moved to hotter tiers. */
    long getMovedUp();

    /** Returns the bytes moved to colder tiers. */
    long getMovedDownBytes();

    /** Returns the bytes moved to hotter tiers. */
    long getMovedUpBytes();

    /** Returns how often a move failed. */
    long getFailures();

    /** Returns the message of the last failure; null when there was none. */
    String getLastFailure();

    /** Returns why moves that will be tried again failed, by {@code TOPIC-PARTITION@OFFSET}. */
    Map<String, String> getFailingMoves();
}
