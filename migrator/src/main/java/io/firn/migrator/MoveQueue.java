package io.firn.migrator;

import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.TierPlace;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Supplier;
import javax.annotation.concurrent.GuardedBy;

/**
 * The moves that are due and the moves in progress. Calls the policy when all moves of its last
 * result have begun. Thread-safe.
 */
final class MoveQueue {
    private final Supplier<StoreSnapshot> snapshots;
    private final MigrationPolicy policy;
    private final MoveRetries retries;
    private final long intervalNs;

    // The monitor is never held while the policy runs.
    @GuardedBy("this")
    private final Queue<Move> due = new ArrayDeque<>();

    /** Moves in progress, with the bytes that each has copied so far. */
    @GuardedBy("this")
    private final Map<Move, Long> current = new HashMap<>();

    @GuardedBy("this")
    private boolean isPlanning;

    @GuardedBy("this")
    private long nextPlanNs = System.nanoTime();

    /** The labels of the tiers, hottest first. */
    private volatile List<String> tiers = List.of();

    /**
     * Creates an empty queue.
     *
     * @param intervalNs how often the policy is called while no move is due
     */
    MoveQueue(
            Supplier<StoreSnapshot> snapshots,
            MigrationPolicy policy,
            MoveRetries retries,
            long intervalNs) {
        this.snapshots = snapshots;
        this.policy = policy;
        this.retries = retries;
        this.intervalNs = intervalNs;
    }

    /**
     * Returns the next move, which is in progress until {@link #end}; null when none is due. The
     * policy is called by one thread at a time and without the lock, because it may take long or
     * call the migrator.
     */
    Move begin() {
        Set<Move> begun;
        synchronized (this) {
            if (!due.isEmpty() || isPlanning || System.nanoTime() - nextPlanNs < 0) {
                return beginDue();
            }
            isPlanning = true;
            nextPlanNs = System.nanoTime() + intervalNs; // also when the policy fails
            // The snapshot may still show such a move, even if it ends while the policy runs.
            begun = new HashSet<>(current.keySet());
        }
        List<Move> moves = List.of();
        try {
            StoreSnapshot snapshot = snapshots.get();
            tiers = snapshot.tiers().stream().map(TierPlace::label).toList();
            moves = policy.moves(snapshot);
        } finally {
            synchronized (this) {
                isPlanning = false;
                plan(moves, begun);
            }
        }
        return beginDue();
    }

    private synchronized Move beginDue() {
        Move move = due.poll();
        if (move != null) {
            current.put(move, 0L);
        }
        return move;
    }

    @GuardedBy("this")
    private void plan(List<Move> moves, Set<Move> begun) {
        for (Move move : moves) {
            if (retries.mayTry(move) && begun.add(move)) {
                due.add(move);
            }
        }
        if (!due.isEmpty()) {
            nextPlanNs = System.nanoTime();
        }
    }

    /** Returns whether a move that has begun goes to a colder tier. */
    boolean isDown(Move move) {
        return tiers.indexOf(move.toTier()) > tiers.indexOf(move.fromTier());
    }

    /** Records how many bytes a move in progress has copied. */
    synchronized void progress(Move move, long copiedBytes) {
        current.put(move, copiedBytes);
    }

    synchronized void end(Move move) {
        current.remove(move);
    }

    /** Discards the moves that have not begun. */
    synchronized void clear() {
        due.clear();
    }

    synchronized int dueCount() {
        return due.size();
    }

    record Progress(Move move, long copiedBytes) implements MigratorStatus.Progress {}

    synchronized List<MigratorStatus.Progress> inProgress() {
        List<MigratorStatus.Progress> progress = new ArrayList<>();
        current.forEach((move, bytes) -> progress.add(new Progress(move, bytes)));
        return progress;
    }
}
