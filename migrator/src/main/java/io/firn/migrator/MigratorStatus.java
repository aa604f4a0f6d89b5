package io.firn.migrator;

import java.util.List;

/**
 * What a migrator is doing, at one moment.
 *
 * @param running whether its threads run
 * @param current the moves that are under way
 * @param queued moves that are due and not begun
 * @param failing moves that failed and are to be tried again
 * @param movedDown segments moved to colder tiers since it was made
 * @param movedUp segments moved to hotter tiers
 * @param movedDownBytes bytes of those
 * @param movedUpBytes bytes of those
 * @param failures how often a move failed
 * @param lastError what failed last, in words; null when nothing did
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
     * A move that is under way.
     *
     * @param move which
     * @param copiedBytes how far it is; of {@link Move#bytes}
     */
    public record Progress(Move move, long copiedBytes) {}

    /**
     * A move that failed.
     *
     * @param move which
     * @param attempts how often
     * @param reason why, the last time
     * @param retryInMs when it is tried again; 0 for at once
     */
    public record Failing(Move move, int attempts, String reason, long retryInMs) {}
}
