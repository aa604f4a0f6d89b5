package io.firn.tx;

import io.firn.ClosedException;
import io.firn.Producer;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.host.ProducerIdentity;
import io.firn.log.LogContext;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The transactions that this process itself begins, named and unnamed. Thread-safe. */
final class LocalTransactions {
    private final LogContext context;
    private final TxStore store;
    private final ProducerRegistry producers;
    private final Decisions decisions;
    private final ProducerOpener opener;
    private final ForgottenTransactionDuty forgotten;

    LocalTransactions(
            LogContext context,
            TxStore store,
            ProducerRegistry producers,
            Decisions decisions,
            ProducerOpener opener) {
        this.context = context;
        this.store = store;
        this.producers = producers;
        this.decisions = decisions;
        this.opener = opener;
        this.forgotten = new ForgottenTransactionDuty(context, producers);
    }

    /** Begins an unnamed transaction. */
    Transaction begin() {
        context.checkWritable();
        decisions.journal().open(); // older versions must be kept out, whatever it does
        TxProducer producer = producers.beginUnnamed(context.timeMs(), context.nowNs());
        if (producer == null) {
            long id = store.newProducerId();
            producer = producers.beginUnnamed(id, context.timeMs(), context.nowNs());
            forgotten.call(); // looks every minute from the first one on
        }
        return new LocalTransaction(this, store, producer, producer.identity());
    }

    /** Opens a named producer. */
    Producer openProducer(String name, Duration timeout) {
        ProducerOpener.Opening opened = opener.open(name, timeout, null);
        return new LocalProducer(this, opened.producer(), opened.identity());
    }

    /** Begins a transaction of a named producer. */
    Transaction begin(TxProducer producer, ProducerIdentity identity) {
        context.checkWritable();
        producer.begin(identity, context.timeMs(), context.nowNs());
        decisions.watch(producer);
        return new LocalTransaction(this, store, producer, identity);
    }

    /** Adds a partition to a transaction. */
    void join(TxProducer producer, ProducerIdentity identity, TxPartition partition) {
        long bytes = JournalEntry.mostBytes(1, 0);
        decisions.journal().makeRoom(producer, bytes);
        producer.change(
                identity,
                open -> {
                    decisions.journal().checkRoom(producer, bytes);
                    open.add(partition);
                });
    }

    /**
     * Adds a cursor commit. A crash leaves a named transaction open, but not its commits, which are
     * in memory only: before the first of them the journal says that a crash fences it. So nobody
     * commits it without them.
     */
    void commitCursor(TxProducer producer, ProducerIdentity identity, CursorCommit commit) {
        if (producer.isNamed() && producer.isToSurvive(identity)) {
            producer.lock().lock();
            try {
                producer.change(identity, OngoingTransaction::endWithProcess);
                decisions.write(producer);
            } finally {
                producer.lock().unlock();
            }
        }
        List<CursorCommit> commits = List.of(commit);
        decisions.journal().makeRoom(producer, JournalEntry.mostBytes(commits));
        producer.change(
                identity,
                open -> {
                    decisions.journal().checkRoom(producer, open.moreBytes(commits));
                    open.addCommits(commits);
                });
    }

    /**
     * Ends a transaction, an abort even if it cannot be written yet. An unnamed producer can then
     * be used again.
     */
    void end(TxProducer producer, ProducerIdentity identity, boolean isCommit) {
        producer.lock().lock();
        try {
            if (producer.state() != State.ONGOING || !identity.equals(producer.identity())) {
                if (isCommit) {
                    producer.checkOwn(identity);
                    producer.checkEnded(true, Set.of());
                }
                return; // it was fenced, or its time was out: it is aborted
            }
            context.checkOpen();
            try {
                if (isCommit) {
                    decisions.end(producer, true, identity.epoch(), identity);
                } else {
                    decisions.abandon(producer);
                }
                producer.pending().prune(store);
            } finally {
                if (!producer.isNamed()) {
                    producers.release(producer);
                }
            }
        } finally {
            producer.lock().unlock();
        }
    }

    /** A named producer of this process. Thread-safe. */
    private static final class LocalProducer implements Producer {
        private final LocalTransactions transactions;
        private final TxProducer producer;
        private final ProducerIdentity identity;
        private Transaction last;
        private boolean closed;

        LocalProducer(
                LocalTransactions transactions, TxProducer producer, ProducerIdentity identity) {
            this.transactions = transactions;
            this.producer = producer;
            this.identity = identity;
        }

        @Override
        public String name() {
            return producer.name();
        }

        @Override
        public synchronized Transaction beginTransaction() {
            if (closed) {
                throw new ClosedException(producer + " is closed");
            }
            last = transactions.begin(producer, identity);
            return last;
        }

        @Override
        public synchronized void close() {
            closed = true;
            if (last != null) {
                last.abort();
            }
        }
    }
}
