package io.firn.migrator;

import io.firn.StoreSnapshot;
import java.util.List;

/**
 * Decides what to move. A policy is a pure function: the same snapshot gives the same moves, and it
 * has no state, so it can be tested without a disk. It is called again when all moves of its last
 * result have begun; the snapshot then shows these moves as done. It returns all moves that are
 * due.
 *
 * <pre>{@code
 * MigrationPolicy auditGoesDown = snapshot -> {
 *     MovePlan plan = MovePlan.of(snapshot);
 *     for (MovePlan.Candidate oldest : plan.candidatesIn("ssd")) {
 *         if (oldest.partition().topic().startsWith("audit-")) {
 *             plan.add(oldest, "hdd");
 *         }
 *     }
 *     return plan.moves();
 * };
 * }</pre>
 *
 * <p>A pure function is thread-safe. See {@link Policies} for the policies that are provided.
 */
@FunctionalInterface
public interface MigrationPolicy {

    /** Returns the moves that are due, the most urgent first. */
    List<Move> moves(StoreSnapshot snapshot);
}
