package io.firn.migrator;

import io.firn.StoreSnapshot;
import java.util.List;

/** See {@link Policies#watermarks}. */
record WatermarkPolicy(double high, double low) implements MigrationPolicy {

    @Override
    public List<Move> moves(StoreSnapshot snapshot) {
        MovePlan plan = new MovePlan(snapshot);
        for (int tier = 0; tier < snapshot.tiers().size() - 1; tier++) {
            ThresholdPolicy.demoteOldest(
                    plan,
                    tier,
                    ThresholdPolicy.limit(snapshot, tier, high),
                    ThresholdPolicy.limit(snapshot, tier, low));
        }
        return plan.moves();
    }
}
