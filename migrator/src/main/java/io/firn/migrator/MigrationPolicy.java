package io.firn.migrator;

import io.firn.StoreSnapshot;
import java.util.List;

/**
 * Says what to move. A pure function: the same snapshot gives the same moves, nothing is looked up
 * and nothing remembered, so that a policy is tested without a disk. It is asked when all moves of
 * its last answer have begun, and shown those as done; so it answers with all that is due.
 *
 * <pre>{@code
 * MigrationPolicy auditGoesDown = snapshot -> {
 *     MovePlan plan = new MovePlan(snapshot);
 *     for (Candidate oldest : plan.candidatesIn(0)) {
 *         if (oldest.partition().topic().startsWith("audit-")) {
 *             plan.demote(oldest);
 *         }
 *     }
 *     return plan.moves();
 * };
 * }</pre>
 *
 * <p>Thread-safe when it is what it should be. See {@link Policies} for the ones that come along.
 */
@FunctionalInterface
public interface MigrationPolicy {

    /** The moves that are due, the most urgent first. */
    List<Move> moves(StoreSnapshot snapshot);
}
