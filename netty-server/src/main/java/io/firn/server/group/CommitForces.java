package io.firn.server.group;

import io.firn.Cursor;
import io.firn.FirnException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Makes a group's commits durable, with one force for all that wait. All members commit at once
 * when a rebalance begins, and a force for each of them in turn would take longer than the
 * rebalance. Thread-safe.
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

    private List<Commit> waiting = new ArrayList<>();
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
        boolean over = false;
        try {
            for (List<Commit> taken = take(); !taken.isEmpty(); taken = take()) {
                forceAll(taken);
            }
            over = true;
        } finally {
            if (!over) {
                giveUp(); // an Error: the next commit forces
            }
        }
    }

    private synchronized void giveUp() {
        forcing = false;
    }

    private synchronized List<Commit> take() {
        List<Commit> taken = waiting;
        waiting = new ArrayList<>();
        forcing = !taken.isEmpty();
        return taken;
    }

    private static void forceAll(List<Commit> commits) {
        Map<Cursor, FirnException> outcomes = new HashMap<>();
        for (Commit commit : commits) {
            FirnException failure = null;
            for (Cursor cursor : commit.cursors) {
                if (!outcomes.containsKey(cursor)) {
                    outcomes.put(cursor, tryForce(cursor));
                }
                failure = failure == null ? outcomes.get(cursor) : failure;
            }
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
