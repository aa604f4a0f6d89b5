package io.firn.migrator;

import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.TierPlace;
import io.firn.migrator.MovePlan.Candidate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** See {@link Policies#threshold}. */
record ThresholdPolicy(double threshold) implements MigrationPolicy {

    @Override
    public List<Move> moves(StoreSnapshot snapshot) {
        MovePlan plan = MovePlan.of(snapshot);
        for (TierPlace tier : allButTheColdest(snapshot)) {
            long limit = limit(tier, threshold);
            demoteOldest(plan, tier.label(), limit, limit);
            promoteNewest(plan, tier.label(), limit);
        }
        return plan.moves();
    }

    static List<TierPlace> allButTheColdest(StoreSnapshot snapshot) {
        return snapshot.tiers().subList(0, snapshot.tiers().size() - 1);
    }

    /** Returns a part of a tier's capacity; unlimited for a tier without a limit. */
    static long limit(TierPlace tier, double part) {
        long capacity = tier.capacityBytes().orElse(Long.MAX_VALUE);
        return capacity == Long.MAX_VALUE ? capacity : (long) (capacity * part);
    }

    /**
     * If a tier is above one level, moves its oldest segments down until it is at another level.
     */
    static void demoteOldest(MovePlan plan, String tier, long above, long downTo) {
        if (plan.usedBytes(tier) <= above) {
            return;
        }
        for (Candidate oldest : plan.candidatesIn(tier)) {
            if (plan.usedBytes(tier) <= downTo) {
                return;
            }
            plan.demote(oldest);
        }
    }

    /**
     * A segment moves up only if the tier stays below the limit, so nothing moves up and down
     * again.
     */
    private static void promoteNewest(MovePlan plan, String tier, long limit) {
        if (limit == Long.MAX_VALUE) {
            return; // no part of an unlimited capacity can be computed
        }
        List<Candidate> newest = new ArrayList<>(plan.candidatesBelow(tier));
        Collections.reverse(newest);
        for (Candidate candidate : newest) {
            if (!candidate.partition().tiers().contains(tier)) {
                continue;
            }
            if (plan.usedBytes(tier) + plan.bytesIn(tier, candidate) > limit) {
                return;
            }
            plan.add(candidate, tier);
        }
    }
}
