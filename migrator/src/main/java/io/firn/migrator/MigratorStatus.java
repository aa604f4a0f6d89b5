package io.firn.migrator;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The state of a migrator at one moment. Immutable; equal when all of it is.
 *
 * @see Migrator
 */
public interface MigratorStatus {

    /** Returns whether its threads run. */
    boolean isRunning();

    /** Returns the moves in progress. */
    List<Progress> current();

    /** Returns the number of moves that are due and have not begun. */
    int queued();

    /** Returns the moves that failed and will be tried again. */
    List<Failing> failing();

    /** Returns the number of segments moved to colder tiers since it was created. */
    long movedDown();

    /** Returns the number of segments moved to hotter tiers since it was created. */
    long movedUp();

    /** Returns the bytes of the segments moved down. */
    long movedDownBytes();

    /** Returns the bytes of the segments moved up. */
    long movedUpBytes();

    /** Returns how often a move failed. */
    long failures();

    /** Returns the message of the last failure; empty when there was none. */
    Optional<String> lastError();

    /** A move in progress. Immutable; equal when all of it is. */
    interface Progress {

        /** Returns the move. */
        Move move();

        /** Returns the bytes copied so far, of {@link Move#bytes}. */
        long copiedBytes();
    }

    /** A move that failed. Immutable; equal when all of it is. */
    interface Failing {

        /** Returns the move. */
        Move move();

        /** Returns how often it failed. */
        int attempts();

        /** Returns why it failed the last time. */
        String reason();

        /** Returns after which time it is tried again; 0 for at once. */
        Duration retryIn();
    }
}
