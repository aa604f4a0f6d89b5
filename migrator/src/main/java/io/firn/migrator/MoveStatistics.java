package io.firn.migrator;

import io.firn.MoveOutcome;
import java.util.List;

/** Counts what was moved and what failed. Thread-safe; the monitor guards all fields. */
final class MoveStatistics {
    private static final System.Logger LOG = System.getLogger("io.firn");

    private long movedDown;
    private long movedUp;
    private long movedDownBytes;
    private long movedUpBytes;
    private long failures;
    private String lastError;

    synchronized void count(Move move, MoveOutcome outcome) {
        if (outcome != MoveOutcome.MOVED) {
            return;
        }
        if (move.isDown()) {
            movedDown++;
            movedDownBytes += move.bytes();
        } else {
            movedUp++;
            movedUpBytes += move.bytes();
        }
    }

    synchronized void failed(Move move, RuntimeException e) {
        failures++;
        lastError = move + ": " + e.getMessage();
        LOG.log(
                System.Logger.Level.WARNING,
                "move {0} failed and will be tried again later",
                lastError);
    }

    /** Counts a failure of the policy, or an unexpected one. */
    synchronized void fault(Throwable e) {
        failures++;
        lastError = e.toString();
    }

    synchronized MigratorStatus status(
            boolean running,
            List<MigratorStatus.Progress> current,
            int queued,
            List<MigratorStatus.Failing> failing) {
        return new MigratorStatus(
                running,
                List.copyOf(current),
                queued,
                List.copyOf(failing),
                movedDown,
                movedUp,
                movedDownBytes,
                movedUpBytes,
                failures,
                lastError);
    }
}
