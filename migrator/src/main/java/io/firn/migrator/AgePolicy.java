package io.firn.migrator;

import io.firn.StoreSnapshot;
import io.firn.migrator.MovePlan.Candidate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** See {@link Policies#age}. */
record AgePolicy(List<Duration> ages) implements MigrationPolicy {

    @Override
    public List<Move> moves(StoreSnapshot snapshot) {
        MovePlan plan = MovePlan.of(snapshot);
        int tiers = snapshot.tiers().size();
        for (int tier = 0; tier < tiers - 1; tier++) {
            for (Candidate candidate : plan.candidatesIn(label(snapshot, tier))) {
                int target = Math.min(target(snapshot, candidate), tiers - 1);
                while (target > tier
                        && target < tiers
                        && !plan.add(candidate, label(snapshot, target))) {
                    target++;
                }
            }
        }
        return plan.moves();
    }

    private static String label(StoreSnapshot snapshot, int tier) {
        return snapshot.tiers().get(tier).label();
    }

    private int target(StoreSnapshot snapshot, Candidate candidate) {
        Instant sealed = candidate.segment().sealTime().orElse(Instant.MAX);
        Duration age = Duration.between(sealed, snapshot.time());
        int target = 0;
        while (target < ages.size() && age.compareTo(ages.get(target)) > 0) {
            target++;
        }
        return target;
    }
}
