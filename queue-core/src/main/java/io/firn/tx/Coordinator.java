package io.firn.tx;

import io.firn.InvalidOptionException;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.ProducerFencedException;
import io.firn.ProducerIdentity;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.TransactionCoordinator;
import io.firn.TransactionStateException;
import io.firn.UnknownProducerException;
import io.firn.log.BatchInfo;
import io.firn.log.LogContext;
import io.firn.log.OpenTransactions;
import io.firn.log.PartitionTransactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/**
 * The transactions of a store: who has one open, and how they end. {@link Decisions} has the order
 * of an end (O12), {@link TxRecovery} what becomes of them after a crash (O13). Thread-safe.
 */
public final class Coordinator implements TransactionCoordinator, OpenTransactions {
    /** The largest epoch that is given to a producer: the next one gets another id. */
    private static final int LAST_EPOCH = Short.MAX_VALUE - 1;

    private static final int MOST_NAME_CHARS = 249;

    // The states in which the last transaction may have ended as it is asked to.
    private static final Set<State> COMMITTED = EnumSet.of(State.COMMITTED, State.COMMITTING);
    private static final Set<State> ABORTED = EnumSet.of(State.ABORTED, State.ABORTING);

    /** Of an identity that several transactions may have: there may be nothing to abort. */
    private static final Set<State> NOT_COMMITTING =
            EnumSet.complementOf(EnumSet.of(State.COMMITTING));

    private final LogContext context;
    private final TxStore store;
    private final TxProducers producers = new TxProducers();
    private final Decisions decisions;
    private final TxUpkeep upkeep;

    /** Creates the transactions of a store that is being opened. */
    public Coordinator(LogContext context, TxStore store) {
        this.context = context;
        this.store = store;
        Journal journal = new Journal(store);
        this.decisions = new Decisions(context, store, journal);
        this.upkeep = new TxUpkeep(context, this, producers, decisions, journal, store);
        decisions.connect(upkeep::watch, upkeep::call);
        context.openTransactions(this);
    }

    /**
     * Finds out what is open, and ends what a crash has left: called once, before anybody else can
     * use the store (O13).
     *
     * @throws java.io.IOException when the journal cannot be read
     */
    public void recover() throws java.io.IOException {
        new TxRecovery(context, store, producers, decisions).recover();
        upkeep.begin();
    }

    /** Called when the store is being closed, and no append is in progress. */
    public void close() {
        decisions.journal().close();
    }

    // ---- for partitions

    @Override
    public boolean take(PartitionTransactions partition, BatchInfo batch) {
        TxProducer producer = producers.byId(batch.producerId());
        return producer != null && producer.takes(batch, partition);
    }

    @Override
    public void onCursorDeleted(UUID topicId, String cursor) {
        for (TxProducer each : producers.all()) {
            if (each.hasMoved(topicId, cursor)) {
                each.lock().lock();
                try {
                    if (each.forgetMoves(topicId, cursor)) {
                        decisions.write(each);
                    }
                } finally {
                    each.lock().unlock();
                }
            }
        }
    }

    // ---- for applications

    /** Begins an unnamed transaction. */
    public Transaction begin() {
        context.checkWritable();
        decisions.journal().open(); // older versions must be kept out, whatever it does
        TxProducer producer = producers.takeUnnamed();
        if (producer == null) {
            producer = producers.addUnnamed(store.newProducerId(), context.timeMs());
        }
        producer.begin(context.timeMs(), nowNs());
        return new LocalTransaction(this, store, producer, producer.identity());
    }

    /** Opens a named producer. */
    public Producer openProducer(String name, Duration timeout) {
        ProducerIdentity identity = open(name, timeout, null);
        return new LocalProducer(this, store, producers.byName(name), identity);
    }

    /** Ends a transaction of this process. An unnamed producer can then be used again. */
    void end(TxProducer producer, ProducerIdentity identity, boolean isCommit) {
        producer.lock().lock();
        try {
            if (producer.state() != State.ONGOING || !identity.equals(producer.identity())) {
                if (isCommit) {
                    producer.checkIdentity(identity);
                    checkEnded(producer, true, Set.of());
                }
                return; // it was fenced, or its time was out: it is aborted
            }
            try {
                decisions.end(producer, isCommit, identity.epoch(), identity);
                Decisions.prune(producer, store);
            } finally {
                if (producer.isReusable()) {
                    producers.giveBack(producer);
                }
            }
        } finally {
            producer.lock().unlock();
        }
    }

    /** Begins a transaction of a named producer. */
    void begin(TxProducer producer, ProducerIdentity identity) {
        context.checkWritable();
        producer.begin(identity, context.timeMs(), nowNs());
        upkeep.watch(producer);
    }

    // ---- for servers

    @Override
    public ProducerIdentity open(String name, Duration timeout, ProducerIdentity expected) {
        context.checkWritable();
        checkName(name);
        int timeoutMs = checkTimeout(timeout);
        TxProducer producer = producers.findOrAdd(name, this::newProducer);
        producer.lock().lock();
        try {
            producer.checkUsable();
            ProducerIdentity before = producer.identity();
            boolean isKnown = before.id() >= 0;
            if (expected != null && isKnown && !expected.equals(before)) {
                if (producer.isReopened(expected)) {
                    decisions.write(producer); // there may have been no room for it before
                    return before; // the answer was lost, and it asks again
                }
                throw new ProducerFencedException(
                        producer + " was opened again, " + expected + " is not the present one");
            }
            ProducerIdentity next = next(before);
            ProducerIdentity continued = isKnown ? expected : null;
            while (!producer.reopen(next, timeoutMs, context.timeMs(), continued)) {
                decisions.end(producer, false, before.epoch() + 1, next);
            }
            producers.onIdentity(producer);
            decisions.write(producer);
            return next;
        } finally {
            producer.lock().unlock();
        }
    }

    private TxProducer newProducer(String name) {
        // Its first epoch is the one after this.
        return new TxProducer(
                TxProducers.keyOf(name), name, new ProducerIdentity(-1, -1), 1, context.timeMs());
    }

    private ProducerIdentity next(ProducerIdentity now) {
        return now.id() < 0 || now.epoch() >= LAST_EPOCH
                ? new ProducerIdentity(store.newProducerId(), 0)
                : new ProducerIdentity(now.id(), now.epoch() + 1);
    }

    private static void checkName(String name) {
        Objects.requireNonNull(name, "name");
        if (name.isEmpty() || name.length() > MOST_NAME_CHARS) {
            throw new InvalidOptionException(
                    "a producer's name has 1 to "
                            + MOST_NAME_CHARS
                            + " characters, this one "
                            + name.length());
        }
    }

    private static int checkTimeout(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        if (timeout.compareTo(Duration.ofMillis(1)) < 0
                || timeout.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
            throw new InvalidOptionException(
                    "a transaction's time-out is 1 ms to 24 days, not " + timeout);
        }
        return (int) timeout.toMillis();
    }

    @Override
    public void begin(String name, ProducerIdentity identity) {
        add(name, identity, List.of());
    }

    @Override
    public void add(String name, ProducerIdentity identity, Collection<Partition> partitions) {
        context.checkWritable();
        List<TxPartition> added = new ArrayList<>();
        partitions.forEach(each -> added.add(store.partition(each)));
        TxProducer producer = find(name, identity);
        synchronized (producer) {
            producer.checkIdentity(identity);
            producer.begin(context.timeMs(), nowNs());
            added.forEach(producer::add);
        }
        upkeep.watch(producer);
    }

    @Override
    public boolean has(String name, ProducerIdentity identity, Partition partition) {
        TxProducer producer = producers.byName(name);
        return producer != null
                && producer.identity().equals(identity)
                && producer.has(store.partition(partition));
    }

    @Override
    public void advance(String name, ProducerIdentity identity, List<CursorMove> wanted) {
        context.checkWritable();
        List<Move> moves = new ArrayList<>();
        for (CursorMove each : wanted) {
            moves.add(
                    new Move(
                            each.topic().id(),
                            each.cursor(),
                            each.partition(),
                            each.offset(),
                            JournalEntry.SELF));
        }
        TxProducer producer = find(name, identity);
        producer.lock().lock();
        try {
            synchronized (producer) {
                producer.checkIdentity(identity);
                producer.begin(context.timeMs(), nowNs());
                producer.addMoves(moves);
            }
            upkeep.watch(producer);
            decisions.write(producer); // so that they survive a crash, as the batches do
        } finally {
            producer.lock().unlock();
        }
    }

    @Override
    public boolean isMoving(Topic topic, String cursor, int partition) {
        Move asked = new Move(topic.id(), cursor, partition, 0, JournalEntry.SELF);
        return upkeep.watched().stream()
                .flatMap(producer -> producer.comingMoves().stream())
                .anyMatch(asked::isOfSame);
    }

    @Override
    public ProducerIdentity end(
            String name, ProducerIdentity identity, boolean commit, boolean bumpsEpoch) {
        context.checkWritable();
        TxProducer producer = find(name, identity);
        producer.lock().lock();
        try {
            producer.checkUsable();
            if (bumpsEpoch && identity.equals(producer.ended())) {
                // The answer was lost, and it asks again: of this very transaction.
                checkEnded(producer, commit, commit ? COMMITTED : ABORTED);
                return producer.identity();
            }
            producer.checkIdentity(identity);
            if (producer.state() != State.ONGOING && !(bumpsEpoch && !commit)) {
                checkEnded(producer, commit, commit ? COMMITTED : NOT_COMMITTING);
                return producer.identity();
            }
            ProducerIdentity next = bumpsEpoch ? next(identity) : identity;
            int markerEpoch = bumpsEpoch ? identity.epoch() + 1 : identity.epoch();
            if (producer.state() != State.ONGOING) {
                producer.begin(context.timeMs(), nowNs());
            }
            decisions.end(producer, commit, markerEpoch, next);
            producers.onIdentity(producer);
            return producer.identity();
        } finally {
            producer.lock().unlock();
        }
    }

    private static void checkEnded(TxProducer producer, boolean commit, Set<State> expected) {
        State state = producer.state();
        if (!expected.contains(state)) {
            throw new TransactionStateException(
                    producer
                            + " has no open transaction to "
                            + (commit ? "commit" : "abort")
                            + ": its state is "
                            + state);
        }
    }

    private TxProducer find(String name, ProducerIdentity identity) {
        TxProducer producer = producers.byName(name);
        if (producer == null) {
            throw new UnknownProducerException(
                    "there is no producer '" + name + "': it was never opened, or it has expired");
        }
        if (!identity.equals(producer.ended())) {
            producer.checkIdentity(identity);
        }
        return producer;
    }

    /** Aborts a transaction that is open for too long, and fences its producer. */
    void timeOut(TxProducer producer) {
        producer.lock().lock();
        try {
            if (!producer.failure().isSet() && producer.isOpenForTooLong(nowNs())) {
                ProducerIdentity now = producer.identity();
                decisions.end(producer, false, now.epoch() + 1, next(now));
                producers.onIdentity(producer);
            }
        } finally {
            producer.lock().unlock();
        }
    }

    long nowNs() {
        return context.config().nanoClock().nanoTime();
    }

    // ---- looks

    @Override
    public NamedProducer find(String name) {
        TxProducer producer = producers.byName(name);
        return producer == null ? null : producer.shown();
    }

    @Override
    public List<NamedProducer> producers() {
        return producers.all().stream().filter(TxProducer::isNamed).map(TxProducer::shown).toList();
    }

    @Override
    public List<PartitionProducer> producersOf(Partition partition) {
        return store.partition(partition).producers();
    }

    @Override
    public void abort(Partition partition, ProducerIdentity identity) {
        context.checkWritable();
        TxPartition place = store.partition(partition);
        TxProducer known = producers.byId(identity.id());
        if (known == null) {
            decisions.abort(place, identity);
            return;
        }
        known.lock().lock(); // or it is decided just now
        try {
            if (known.needs(place)) {
                throw new TransactionStateException(
                        known
                                + " has this transaction open, or has ended it and its marker"
                                + " follows, so it is not hanging: abort it by its name, or wait");
            }
            decisions.abort(place, identity);
        } finally {
            known.lock().unlock();
        }
    }
}
