package io.firn.server;

import io.firn.migrator.Migrator;
import io.firn.migrator.MigratorStatus;
import io.firn.migrator.Move;
import java.util.Map;
import java.util.TreeMap;

/** The metrics of a migrator, read from its status at each call. */
final class MigratorMetrics implements MigratorMetricsMXBean {
    private final Migrator migrator;

    MigratorMetrics(Migrator migrator) {
        this.migrator = migrator;
    }

    private MigratorStatus status() {
        return migrator.status();
    }

    private static String name(Move move) {
        return move.topic() + "-" + move.partition() + "@" + move.baseOffset();
    }

    @Override
    public boolean isRunning() {
        return status().isRunning();
    }

    @Override
    public int getPendingMoves() {
        return status().queued();
    }

    @Override
    public Map<String, Long> getCopiedBytes() {
        Map<String, Long> copied = new TreeMap<>();
        status().current().forEach(each -> copied.put(name(each.move()), each.copiedBytes()));
        return copied;
    }

    @Override
    public long getMovedDown() {
        return status().movedDown();
    }

    @Override
    public long getMovedUp() {
        return status().movedUp();
    }

    @Override
    public long getMovedDownBytes() {
        return status().movedDownBytes();
    }

    @Override
    public long getMovedUpBytes() {
        return status().movedUpBytes();
    }

    @Override
    public long getFailures() {
        return status().failures();
    }

    @Override
    public String getLastFailure() {
        return status().lastError().orElse(null);
    }

    @Override
    public Map<String, String> getFailingMoves() {
        Map<String, String> failing = new TreeMap<>();
        status().failing().forEach(each -> failing.put(name(each.move()), each.reason()));
        return failing;
    }
}
