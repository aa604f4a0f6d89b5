package io.firn.migrator;

import io.firn.LogStore.MoveOutcome;
import io.firn.medium.GuardedLog;
import java.util.List;
import java.util.Optional;
import javax.annotation.concurrent.GuardedBy;

/** Counts what was moved and what failed. Thread-safe. */
final class MoveStatistics {
    private static final GuardedLog LOG = GuardedLog.get();

    @GuardedBy("this")
    private long movedDown;

    @GuardedBy("this")
    private long movedUp;

    @GuardedBy("this")
    private long movedDownBytes;

    @GuardedBy("this")
    private long movedUpBytes;

    @GuardedBy("this")
    private long failures;

    @GuardedBy("this")
    private String lastError;

    synchronized void count(Move move, MoveOutcome outcome, boolean isDown) {
        if (outcome != MoveOutcome.MOVED) {
            return;
        }
        if (isDown) {
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

    private record Status(
            boolean isRunning,
            List<MigratorStatus.Progress> current,
            int queued,
            List<MigratorStatus.Failing> failing,
            long movedDown,
            long movedUp,
            long movedDownBytes,
            long movedUpBytes,
            long failures,
            Optional<String> lastError)
            implements MigratorStatus {}

    synchronized MigratorStatus status(
            boolean running,
            List<MigratorStatus.Progress> current,
            int queued,
            List<MigratorStatus.Failing> failing) {
        return new Status(
                running,
                List.copyOf(current),
                queued,
                List.copyOf(failing),
                movedDown,
                movedUp,
                movedDownBytes,
                movedUpBytes,
                failures,
                Optional.ofNullable(lastError));
    }
}
