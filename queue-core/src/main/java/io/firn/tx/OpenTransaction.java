package io.firn.tx;

import io.firn.Partition;
import io.firn.ProducerIdentity;
import io.firn.StoreMetrics;
import io.firn.TransactionCoordinator;
import java.util.List;

/** What is shown of a transaction that readers of committed records wait for. */
record OpenTransaction(
        String producer,
        ProducerIdentity identity,
        TransactionCoordinator.State state,
        long startMs,
        List<Partition> partitions)
        implements StoreMetrics.TransactionMetrics {

    @Override
    public String toString() {
        return "TransactionMetrics["
                + "producer="
                + producer
                + ", identity="
                + identity
                + ", state="
                + state
                + ", startMs="
                + startMs
                + ", partitions="
                + partitions
                + "]";
    }
}
