package io.firn.append;

import io.firn.TransactionStateException;
import io.firn.format.Source;
import io.firn.log.BatchInfo;
import io.firn.log.PartitionTransactions;
import io.firn.log.Producers;
import io.firn.log.SegmentedLog;

/**
 * Appends of batches that have a producer, for the thread that has the turn: check, append and
 * recording are one step, under the monitor of the partition's producers (O8, O11).
 */
final class ProducerAppends {
    /** What {@link #appendMarker} returns when there is nothing to end. */
    static final long NOTHING_OPEN = Long.MIN_VALUE;

    private final SegmentedLog log;
    private final PartitionWriter writer;

    ProducerAppends(SegmentedLog log, PartitionWriter writer) {
        this.log = log;
        this.writer = writer;
    }

    /** As {@link PartitionWriter#append(Source, BatchInfo, boolean, boolean)}. */
    long append(Source batch, BatchInfo info, boolean hasCrc, boolean isOwn) {
        Producers producers = log.producers();
        synchronized (producers) {
            if (info.isTransactional()) {
                // First: who is fenced is told so, whatever the sequence.
                checkOpen(info);
            }
            long duplicate = producers.check(info);
            if (duplicate != Producers.NEW) {
                return duplicate;
            }
            long time = log.store().clock().time(); // if it throws, nothing has been stored
            boolean begins = info.isTransactional() && !producers.hasOpen(info.producerId());
            return begins
                    ? begin(batch, info, hasCrc, isOwn, time)
                    : store(batch, info, hasCrc, isOwn, time);
        }
    }

    private void checkOpen(BatchInfo info) {
        if (!log.store().openTransactions().take(log.transactions(), info)) {
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
    private long begin(Source batch, BatchInfo info, boolean hasCrc, boolean isOwn, long time) {
        PartitionTransactions transactions = log.transactions();
        long first = log.nextOffset();
        transactions.hold(first, info.producerId());
        long offset = -1;
        try {
            offset = store(batch, info, hasCrc, isOwn, time);
            return offset;
        } finally {
            if (offset < 0) {
                transactions.release(first);
            }
        }
    }

    private long store(Source batch, BatchInfo info, boolean hasCrc, boolean isOwn, long time) {
        long offset = writer.store(batch, info, hasCrc, isOwn);
        if (offset >= 0) {
            log.producers().record(info, offset, time);
        }
        return offset;
    }

    /**
     * Appends the marker that ends a transaction, if that is open here (O12).
     *
     * @param holds whether readers are held up nevertheless, until {@link SegmentedLog#release}
     * @return the marker's offset, or {@link #NOTHING_OPEN}
     */
    long appendMarker(
            Source marker, BatchInfo info, boolean isCommit, int decision, boolean holds) {
        Producers producers = log.producers();
        synchronized (producers) {
            if (!producers.hasOpen(info.producerId())) {
                return NOTHING_OPEN;
            }
            long time = log.store().clock().time();
            long offset = writer.store(marker, info, true, true);
            if (offset >= 0) {
                long first = producers.recordMarker(info, isCommit, decision, offset, time);
                if (!holds) {
                    log.release(first);
                }
            }
            return offset;
        }
    }
}
