package io.firn.log;

import io.firn.TransactionStateException;

/** Says which transactions are open; asked by a partition before it stores a batch of one. */
@FunctionalInterface
public interface OpenTransactions {
    /** When nobody can have begun one. */
    OpenTransactions NONE =
            (log, batch) -> {
                throw notOpen(log, batch);
            };

    /**
     * Checks that the producer of a batch has an open transaction which the partition belongs to.
     * The caller has the turn and the monitor of the partition's producers until the batch is
     * stored, so that no batch comes after the marker that ends its transaction (O11). Must not
     * wait for anything.
     *
     * @throws TransactionStateException when there is none
     * @throws io.firn.ProducerFencedException when the producer's epoch is not the present one
     */
    void check(SegmentedLog log, BatchInfo batch);

    /** Returns what is thrown when a producer has no open transaction with the partition. */
    static TransactionStateException notOpen(SegmentedLog log, BatchInfo batch) {
        return new TransactionStateException(
                log
                        + ": the batch says that it belongs to a transaction, but producer "
                        + batch.producerId()
                        + " with epoch "
                        + batch.producerEpoch()
                        + " has none open that the partition was added to; nothing is appended");
    }
}
