package io.firn.tx;

import io.firn.Producer;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.host.ProducerIdentity;
import io.firn.log.LogContext;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The transactions that this process itself begins, named and unnamed. Thread-safe. */
final class LocalTransactions {
    private final LogContext context;
    private final TxStore store;
    private final TxProducers producers;
    private final Decisions decisions;
    private final EntryRoom room;
    private final Openings openings;
    private final ForgottenTransactions forgotten;

    /** Is told of producers whose transactions have a time-out. */
    private final Consumer<TxProducer> onBegun;

    LocalTransactions(
            LogContext context,
            TxStore store,
            TxProducers producers,
            Decisions decisions,
            EntryRoom room,
            Openings openings,
            Consumer<TxProducer> onBegun) {
        this.context = context;
        this.store = store;
        this.producers = producers;
        this.decisions = decisions;
        this.room = room;
        this.openings = openings;
        this.forgotten = new ForgottenTransactions(context, producers);
        this.onBegun = onBegun;
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
        Openings.Opening opened = openings.open(name, timeout, null);
        return new LocalProducer(this, opened.producer(), opened.identity());
    }

    /** Begins a transaction of a named producer. */
    Transaction begin(TxProducer producer, ProducerIdentity identity) {
        context.checkWritable();
        producer.begin(identity, context.timeMs(), context.nowNs());
        onBegun.accept(producer);
        return new LocalTransaction(this, store, producer, identity);
    }

    /** Adds a partition to a transaction. */
    void join(TxProducer producer, ProducerIdentity identity, TxPartition partition) {
        long bytes = JournalEntry.mostBytes(1, 0);
        room.prepare(producer, bytes);
        producer.change(
                identity,
                open -> {
                    room.check(producer, bytes);
                    open.add(partition);
                });
    }

    /**
     * Adds a move to a transaction. A crash leaves a named one open, but not its moves, which are
     * in memory only: before the first of them the journal says that a crash fences it. So nobody
     * commits it without them.
     */
    void commitCursor(TxProducer producer, ProducerIdentity identity, Move move) {
        if (producer.isNamed() && producer.isToSurvive(identity)) {
            producer.lock().lock();
            try {
                producer.change(identity, Opened::endWithProcess);
                decisions.write(producer);
            } finally {
                producer.lock().unlock();
            }
        }
        List<Move> moves = List.of(move);
        room.prepare(producer, JournalEntry.mostBytes(moves));
        producer.change(
                identity,
                open -> {
                    room.check(producer, open.moreBytes(moves));
                    open.addMoves(moves);
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
                    producer.checkIdentity(identity);
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
                Decisions.prune(producer, store);
            } finally {
                if (!producer.isNamed()) {
                    producers.release(producer);
                }
            }
        } finally {
            producer.lock().unlock();
        }
    }
}
