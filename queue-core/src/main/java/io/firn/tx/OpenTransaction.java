package io.firn.tx;

import io.firn.Partition;
import io.firn.StoreMetrics;
import io.firn.Transaction;
import java.util.List;

/** What is shown of a transaction that readers of committed records wait for. */
record OpenTransaction(
        String producer,
        long producerId,
        int producerEpoch,
        Transaction.State state,
        long startMs,
        List<Partition> partitions)
        implements StoreMetrics.TransactionMetrics {

    @Override
    public String toString() {
        return "TransactionMetrics["
                + "producer="
                + producer
                + ", producerId="
                + producerId
                + ", producerEpoch="
                + producerEpoch
                + ", state="
                + state
                + ", startMs="
                + startMs
                + ", partitions="
                + partitions
                + "]";
    }
}
