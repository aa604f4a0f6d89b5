package io.firn.store;

import io.firn.PartitionReader.PartitionMetrics;
import io.firn.StoreMetrics;
import java.util.List;

/** The metrics of a store. */
record StoreCounts(
        List<StoreMetrics.TierMetrics> tiers,
        List<PartitionMetrics> partitions,
        long backgroundErrors,
        List<StoreMetrics.TransactionMetrics> transactions)
        implements StoreMetrics {

    @Override
    public String toString() {
        return "StoreMetrics["
                + "tiers="
                + tiers
                + ", partitions="
                + partitions
                + ", backgroundErrors="
                + backgroundErrors
                + ", transactions="
                + transactions
                + "]";
    }
}
