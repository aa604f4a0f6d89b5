package io.firn.migrator;

import java.util.List;

/**
 * The state of a migrator at one moment.
 *
 * @param running whether its threads run
 * @param current the moves in progress
 * @param queued the number of moves that are due and have not begun
 * @param failing the moves that failed and will be tried again
 * @param movedDown segments moved to colder tiers since it was created
 * @param movedUp segments moved to hotter tiers since it was created
 * @param movedDownBytes bytes of the segments moved down
 * @param movedUpBytes bytes of the segments moved up
 * @param failures how often a move failed
 * @param lastError the message of the last failure; null when there was none
 */
public record MigratorStatus(
        boolean running,
        List<Progress> current,
        int queued,
        List<Failing> failing,
        long movedDown,
        long movedUp,
        long movedDownBytes,
        long movedUpBytes,
        long failures,
        String lastError) {

    /**
     * A move in progress.
     *
     * @param move the move
     * @param copiedBytes the bytes copied so far, of {@link Move#bytes}
     */
    public record Progress(Move move, long copiedBytes) {}

    /**
     * A move that failed.
     *
     * @param move the move
     * @param attempts how often it failed
     * @param reason why it failed the last time
     * @param retryInMs in how many ms it is tried again; 0 for at once
     */
    public record Failing(Move move, int attempts, String reason, long retryInMs) {}
}
