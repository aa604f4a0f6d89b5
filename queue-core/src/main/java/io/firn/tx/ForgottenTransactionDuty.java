package io.firn.tx;

import io.firn.StoreMetrics.TransactionMetrics;
import io.firn.background.Duty;
import io.firn.log.LogContext;
import io.firn.medium.GuardedLog;

/**
 * Says once of each unnamed transaction that it has been open for a minute: it has no time-out, and
 * if its owner has lost it, readers of committed records wait until the store is closed.
 */
final class ForgottenTransactionDuty extends Duty {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final long AFTER_MS = 60_000;
    private static final int MOST_NAMED = 5;

    private final LogContext context;
    private final ProducerRegistry producers;

    ForgottenTransactionDuty(LogContext context, ProducerRegistry producers) {
        super(context.tidying(), "store " + context.config().directory(), "open transactions");
        this.context = context;
        this.producers = producers;
    }

    @Override
    public int run() {
        int found = 0;
        for (TxProducer each : producers.made()) {
            TransactionMetrics forgotten = each.takeForgotten(context.nowNs(), AFTER_MS);
            if (forgotten != null) {
                report(forgotten);
                found++;
            }
        }
        againAt(nowMs() + AFTER_MS);
        return found;
    }

    private static void report(TransactionMetrics forgotten) {
        int partitions = forgotten.partitions().size();
        LOG.log(
                System.Logger.Level.WARNING,
                "a transaction has been open for more than "
                        + AFTER_MS / 1_000
                        + " s, and readers of committed records wait for its end in "
                        + partitions
                        + " partitions: "
                        + forgotten.partitions().subList(0, Math.min(partitions, MOST_NAMED))
                        + (partitions > MOST_NAMED ? " and others" : "")
                        + ". Commit, abort or close it");
    }

    @Override
    protected boolean isUrgent() {
        return false;
    }
}
