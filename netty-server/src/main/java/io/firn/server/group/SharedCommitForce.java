package io.firn.server.group;

import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.MediumException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.annotation.concurrent.GuardedBy;

/**
 * Group commit for the offsets of a group: one force for all commits that wait. All members commit
 * when a rebalance begins, and one force for each of them would take longer than the rebalance.
 * Thread-safe.
 *
 * <p>The order: a commit sets its cursors; it is added here; a thread takes it; that thread forces
 * the cursors. So a force covers every commit that was taken before it began, and a commit that
 * arrives during a force waits for the next one.
 */
final class SharedCommitForce {
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * A commit whose cursors are set; {@code done} receives null, or the reason why it may not be
     * durable.
     */
    private record Commit(Set<Cursor> cursors, Consumer<FirnException> done) {}

    private final LongSupplier clockNs;

    @GuardedBy("this")
    private List<Commit> waiting = new ArrayList<>();

    @GuardedBy("this")
    private boolean forcing;

    SharedCommitForce() {
        this(System::nanoTime);
    }

    SharedCommitForce(LongSupplier clockNs) {
        this.clockNs = clockNs;
    }

    /**
     * Forces cursors and then calls back, on any thread. If another thread is forcing, returns at
     * once; otherwise also forces for commits that arrive meanwhile.
     *
     * @param later runs the rest when some ms have passed: others need this thread, too
     */
    void force(Set<Cursor> cursors, Executor later, Consumer<FirnException> done) {
        synchronized (this) {
            waiting.add(new Commit(cursors, done));
            if (forcing) {
                return;
            }
            forcing = true;
        }
        goOn(new Round(), later);
    }

    /** The commits that were taken, and what the forces that began since have come to. */
    private static final class Round {
        private final Deque<Commit> commits = new ArrayDeque<>();
        private final Map<Cursor, FirnException> outcomes = new HashMap<>();
    }

    private void goOn(Round round, Executor later) {
        long endNs = clockNs.getAsLong() + STEP_NS;
        boolean over = false;
        try {
            while (!round.commits.isEmpty() || take(round)) {
                forceSome(round, endNs);
                if (!round.commits.isEmpty()) {
                    later.execute(() -> goOn(round, later));
                    break;
                }
            }
            over = true;
        } finally {
            if (!over) {
                giveUp(round.commits); // an Error: the next commit forces
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
        FirnException failure = new MediumException("the force of a commit failed: see the log");
        taken.forEach(commit -> commit.done.accept(failure));
    }

    private synchronized boolean take(Round round) {
        round.outcomes.clear(); // those forces are not for commits that have come since
        round.commits.addAll(waiting);
        waiting = new ArrayList<>();
        forcing = !round.commits.isEmpty();
        return forcing;
    }

    /** Forces for the commits that were taken until a time, but for one cursor at least. */
    private void forceSome(Round round, long endNs) {
        boolean isFirst = true;
        for (Commit commit = round.commits.peek(); commit != null; commit = round.commits.peek()) {
            FirnException failure = null;
            for (Cursor cursor : commit.cursors) {
                if (!round.outcomes.containsKey(cursor)) {
                    if (!isFirst && clockNs.getAsLong() - endNs > 0) {
                        return;
                    }
                    isFirst = false;
                    round.outcomes.put(cursor, tryForce(cursor));
                }
                failure = failure == null ? round.outcomes.get(cursor) : failure;
            }
            round.commits.remove(); // not answered a second time by giveUp
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
            return new MediumException("cursor " + cursor.name() + " could not be forced: " + e, e);
        }
    }
}
