package io.firn.tx;

import io.firn.Finding.Kind;
import io.firn.StoreMetrics.TransactionMetrics;
import io.firn.background.Duty;
import io.firn.findings.FindingKey;
import io.firn.log.LogContext;
import java.util.HashSet;
import java.util.Set;

/**
 * Notes that an unnamed transaction has been open for a minute, until it ends: it has no time-out,
 * and if its owner has lost it, readers of committed records wait until the store is closed.
 */
final class ForgottenTransactionDuty extends Duty {
    private static final long AFTER_MS = 60_000;
    private static final long LOOK_AGAIN_MS = 1_000;
    private static final int MOST_NAMED = 5;

    private final LogContext context;
    private final ProducerRegistry producers;
    private Set<FindingKey> present = Set.of();

    ForgottenTransactionDuty(LogContext context, ProducerRegistry producers) {
        super(context.tidying(), context.subject(), "open transactions");
        this.context = context;
        this.producers = producers;
    }

    @Override
    public int run() {
        Set<FindingKey> now = new HashSet<>();
        for (TxProducer each : producers.made()) {
            TransactionMetrics forgotten = each.openFor(AFTER_MS, context.nowNs());
            if (forgotten != null) {
                FindingKey key =
                        FindingKey.of(
                                Kind.TRANSACTION_STALLED, context.subject(), "open of " + each);
                now.add(key);
                context.findings().begin(key, textOf(forgotten));
            }
        }
        for (FindingKey each : present) {
            if (!now.contains(each)) {
                context.findings().end(each);
            }
        }
        present = now;
        againAt(nowMs() + (now.isEmpty() ? AFTER_MS : LOOK_AGAIN_MS));
        return 0;
    }

    private static String textOf(TransactionMetrics forgotten) {
        int partitions = forgotten.partitions().size();
        return "a transaction has been open for more than "
                + AFTER_MS / 1_000
                + " s, and readers of committed records wait for its end in "
                + partitions
                + " partitions: "
                + forgotten.partitions().subList(0, Math.min(partitions, MOST_NAMED))
                + (partitions > MOST_NAMED ? " and others" : "")
                + ". Commit, abort or close it";
    }

    @Override
    protected boolean isUrgent() {
        return false;
    }
}
