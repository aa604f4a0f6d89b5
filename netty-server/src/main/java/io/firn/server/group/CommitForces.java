package io.firn.server.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.Cursor;
import io.firn.FirnException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Group commit for the offsets of a group: one force for all commits that wait. All members commit
 * when a rebalance begins, and one force for each of them would take longer than the rebalance.
 * Thread-safe.
 *
 * <p>The order: a commit sets its cursors; it is added here; a thread takes it; that thread forces
 * the cursors. So a force covers every commit that was taken before it began, and a commit that
 * arrives during a force waits for the next one.
 */
final class CommitForces {
    /**
     * A commit whose cursors are set; {@code done} receives null, or the reason why it may not be
     * durable.
     */
    private record Commit(Set<Cursor> cursors, Consumer<FirnException> done) {}

    @GuardedBy("this")
    private List<Commit> waiting = new ArrayList<>();

    @GuardedBy("this")
    private boolean forcing;

    /**
     * Forces cursors and then calls back, on any thread. If another thread is forcing, returns at
     * once; otherwise also forces for commits that arrive meanwhile.
     */
    void force(Set<Cursor> cursors, Consumer<FirnException> done) {
        synchronized (this) {
            waiting.add(new Commit(cursors, done));
            if (forcing) {
                return;
            }
            forcing = true;
        }
        Deque<Commit> taken = new ArrayDeque<>();
        boolean over = false;
        try {
            while (take(taken)) {
                forceAll(taken);
            }
            over = true;
        } finally {
            if (!over) {
                giveUp(taken); // an Error: the next commit forces
            }
        }
    }

    /** Answers all commits that wait. */
    private void giveUp(Deque<Commit> taken) {
        synchronized (this) {
            forcing = false;
            taken.addAll(waiting);
            waiting = new ArrayList<>();
        }
        FirnException failure = new FirnException("the force of a commit failed: see the log");
        taken.forEach(commit -> commit.done.accept(failure));
    }

    private synchronized boolean take(Deque<Commit> taken) {
        taken.addAll(waiting);
        waiting = new ArrayList<>();
        forcing = !taken.isEmpty();
        return forcing;
    }

    private static void forceAll(Deque<Commit> commits) {
        Map<Cursor, FirnException> outcomes = new HashMap<>();
        for (Commit commit = commits.peek(); commit != null; commit = commits.peek()) {
            FirnException failure = null;
            for (Cursor cursor : commit.cursors) {
                if (!outcomes.containsKey(cursor)) {
                    outcomes.put(cursor, tryForce(cursor));
                }
                failure = failure == null ? outcomes.get(cursor) : failure;
            }
            commits.remove(); // not answered a second time by giveUp
            commit.done.accept(failure);
        }
    }

    private static FirnException tryForce(Cursor cursor) {
        try {
            cursor.force();
            return null;
        } catch (FirnException e) {
            return e;
        } catch (RuntimeException e) {
            return new FirnException("cursor " + cursor.name() + " could not be forced: " + e, e);
        }
    }
}
