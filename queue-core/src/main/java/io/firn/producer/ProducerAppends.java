package io.firn.producer;

import io.firn.append.Admission;
import io.firn.append.Admission.BatchStore;
import io.firn.append.Admission.Origin;
import io.firn.format.Source;
import io.firn.host.TransactionStateException;
import io.firn.log.BatchInfo;
import io.firn.log.SegmentedLog;

/**
 * Appends of batches that have a producer, for the thread that has the turn: check, append and
 * recording are one step, under the monitor of the partition's producers (O8, O11).
 */
public final class ProducerAppends implements Admission {
    private final SegmentedLog log;
    private final Producers producers;
    private final StoreProducers ofStore;

    /** Creates it for a partition of a store. */
    public ProducerAppends(SegmentedLog log, Producers producers, StoreProducers ofStore) {
        this.log = log;
        this.producers = producers;
        this.ofStore = ofStore;
    }

    /** Returns what is known of the partition's producers. */
    public Producers producers() {
        return producers;
    }

    @Override
    public long append(Source batch, BatchInfo info, Origin origin, BatchStore store) {
        synchronized (producers) {
            if (info.isTransactional()) {
                // First: who is fenced is told so, whatever the sequence.
                checkOpen(info);
            }
            long duplicate = producers.check(info);
            if (duplicate != Producers.NEW) {
                return duplicate;
            }
            boolean begins = info.isTransactional() && !producers.hasOpen(info.producerId());
            return begins ? begin(batch, info, origin, store) : store(batch, info, origin, store);
        }
    }

    private void checkOpen(BatchInfo info) {
        if (!ofStore.openTransactions().take(log, info)) {
            throw new TransactionStateException(
                    log
                            + ": the batch says that it belongs to a transaction, but producer "
                            + info.producerId()
                            + " with epoch "
                            + info.producerEpoch()
                            + " has none open that the partition was added to; nothing is"
                            + " appended");
        }
    }

    /** Holds up readers before the first batch of a transaction is published. */
    private long begin(Source batch, BatchInfo info, Origin origin, BatchStore store) {
        PartitionTransactions transactions = producers.transactions();
        long first = log.nextOffset();
        transactions.hold(first, info.producerId());
        long offset = -1;
        try {
            offset = store(batch, info, origin, store);
            return offset;
        } finally {
            if (offset < 0) {
                transactions.release(first);
            }
        }
    }

    private long store(Source batch, BatchInfo info, Origin origin, BatchStore store) {
        long time = log.store().clock().time(); // if it throws, nothing has been stored
        long offset = store.store(batch, info, origin);
        if (offset >= 0) {
            producers.record(info, offset, time);
        }
        return offset;
    }

    /**
     * Returns what appends a batch of a producer of this process, whose sequence is set before.
     *
     * @param bytes the batch's, complete but for its sequence, its offset, its epoch and its CRC
     */
    public Admission inSequence(byte[] bytes) {
        return (batch, info, origin, store) -> {
            synchronized (producers) {
                producers.setSequence(bytes);
                return append(batch, info.read(bytes), origin, store);
            }
        };
    }

    /**
     * Returns what appends the marker that ends a transaction, if that is open here (O12).
     *
     * @param holds whether readers are held up nevertheless, until {@link
     *     PartitionTransactions#release}
     */
    public Admission marker(boolean isCommit, int decision, boolean holds) {
        return (marker, info, origin, store) -> {
            synchronized (producers) {
                if (!producers.hasOpen(info.producerId())) {
                    return NOT_WANTED;
                }
                long time = log.store().clock().time();
                long offset = store.store(marker, info, origin);
                if (offset >= 0) {
                    long first = producers.recordMarker(info, isCommit, decision, offset, time);
                    if (!holds) {
                        producers.transactions().release(first, log.readers());
                    }
                }
                return offset;
            }
        };
    }
}
