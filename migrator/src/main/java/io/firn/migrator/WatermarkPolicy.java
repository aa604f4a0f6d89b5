package io.firn.migrator;

import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.TierPlace;
import java.util.List;

/** See {@link Policies#watermarks}. */
record WatermarkPolicy(double high, double low) implements MigrationPolicy {

    @Override
    public List<Move> moves(StoreSnapshot snapshot) {
        MovePlan plan = MovePlan.of(snapshot);
        for (TierPlace tier : ThresholdPolicy.allButTheColdest(snapshot)) {
            ThresholdPolicy.demoteOldest(
                    plan,
                    tier.label(),
                    ThresholdPolicy.limit(tier, high),
                    ThresholdPolicy.limit(tier, low));
        }
        return plan.moves();
    }
}
