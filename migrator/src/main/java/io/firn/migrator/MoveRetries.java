package io.firn.migrator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.concurrent.GuardedBy;

/** The moves that failed, and when each may be tried again. Thread-safe. */
final class MoveRetries {
    private static final int MAX_DOUBLINGS = 6;

    private final long firstPauseNs;

    @GuardedBy("this")
    private final Map<Key, Entry> entries = new HashMap<>();

    MoveRetries(long firstPauseNs) {
        this.firstPauseNs = firstPauseNs;
    }

    /** A segment, regardless of the target of its move. */
    private record Key(String topic, int partition, long baseOffset) {
        static Key of(Move move) {
            return new Key(move.topic(), move.partition(), move.baseOffset());
        }
    }

    private record Entry(Move move, int attempts, String reason, long notBeforeNs) {}

    /** Adds a move, or doubles its pause. */
    synchronized void failed(Move move, String reason) {
        Entry before = entries.get(Key.of(move));
        int attempts = before == null ? 1 : before.attempts + 1;
        long pause = firstPauseNs << Math.min(attempts - 1, MAX_DOUBLINGS);
        entries.put(Key.of(move), new Entry(move, attempts, reason, System.nanoTime() + pause));
    }

    /** Removes a move that no longer has to be tried again. */
    synchronized void remove(Move move) {
        entries.remove(Key.of(move));
    }

    synchronized boolean mayTry(Move move) {
        Entry entry = entries.get(Key.of(move));
        return entry == null || System.nanoTime() - entry.notBeforeNs >= 0;
    }

    private record Failing(Move move, int attempts, String reason, Duration retryIn)
            implements MigratorStatus.Failing {}

    synchronized List<MigratorStatus.Failing> list() {
        List<MigratorStatus.Failing> all = new ArrayList<>();
        for (Entry entry : entries.values()) {
            long leftNs = Math.max(0, entry.notBeforeNs - System.nanoTime());
            all.add(
                    new Failing(
                            entry.move, entry.attempts, entry.reason, Duration.ofNanos(leftNs)));
        }
        return all;
    }
}
