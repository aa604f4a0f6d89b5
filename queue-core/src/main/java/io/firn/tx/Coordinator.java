package io.firn.tx;

import io.firn.Partition;
import io.firn.Producer;
import io.firn.RecordTooLargeException;
import io.firn.StoreFullException;
import io.firn.StoreMetrics;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.Transaction.State;
import io.firn.budget.HeapBudget;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionStateException;
import io.firn.host.UnknownProducerException;
import io.firn.log.BatchInfo;
import io.firn.log.LogContext;
import io.firn.log.SegmentedLog;
import io.firn.producer.OpenTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The transactions of a store: who has one open, and how they end. {@link Decisions} has the order
 * of an end (O12), {@link TxRecovery} what becomes of them after a crash (O13). Thread-safe.
 */
public final class Coordinator implements TransactionCoordinator, OpenTransactions {
    // The states in which the last transaction may have ended as it is asked to.
    private static final Set<State> COMMITTED = EnumSet.of(State.COMMITTED, State.COMMITTING);
    private static final Set<State> ABORTED = EnumSet.of(State.ABORTED, State.ABORTING);

    /** When a transaction may have been forgotten: there may be nothing to abort. */
    private static final Set<State> NOT_COMMITTING =
            EnumSet.complementOf(EnumSet.of(State.COMMITTING));

    /** Of an identity that has one transaction: it gets another one when that ends. */
    private static final Set<State> NONE = EnumSet.noneOf(State.class);

    private final LogContext context;
    private final TxStore store;
    private static final int LEAST_NAMES = 1_000;

    private final ProducerRegistry producers =
            new ProducerRegistry(HeapBudget.PRODUCER_NAMES.count(LEAST_NAMES, MOST_NAMES));
    private final Decisions decisions;
    private final TransactionDuty upkeep;
    private final ProducerOpener opener;
    private final LocalTransactions local;

    /** Creates the transactions of a store that is being opened. */
    public Coordinator(LogContext context, TxStore store) {
        this.context = context;
        this.store = store;
        Journal journal = new Journal(store);
        this.decisions = new Decisions(context, store, journal);
        this.upkeep = new TransactionDuty(context, this, producers, decisions, store);
        this.opener = new ProducerOpener(context, store, producers, decisions);
        this.local = new LocalTransactions(context, store, producers, decisions, opener);
        decisions.connect(upkeep::watch, upkeep::call);
    }

    /**
     * Finds out what is open, and ends what a crash has left: called once, before another thread
     * can use the store (O13).
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

    /** Looks at the store while no transaction is decided; see {@link Journal#whileStill}. */
    public void whileStill(Runnable look) {
        decisions.journal().whileStill(look);
    }

    @Override
    public boolean take(SegmentedLog log, BatchInfo batch) {
        TxProducer producer = producers.byId(batch.producerId());
        return producer != null && producer.takes(batch, log);
    }

    @Override
    public void onCursorDeleted(UUID topicId, String cursor) {
        for (TxProducer each : producers.all()) {
            if (each.pending().commits(topicId, cursor)) {
                each.lock().lock();
                try {
                    if (each.pending().forgetCommits(topicId, cursor)) {
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
        return local.begin();
    }

    /** Opens a named producer. */
    public Producer openProducer(String name, Duration timeout) {
        return local.openProducer(name, timeout);
    }

    // ---- for servers

    @Override
    public ProducerIdentity open(String name, Duration timeout, ProducerIdentity expected) {
        return opener.open(name, timeout, expected).identity();
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
        decisions.journal().makeRoom(producer, JournalEntry.mostBytes(added.size(), 0));
        synchronized (producer) {
            producer.checkIdentity(identity);
            decisions
                    .journal()
                    .checkRoom(producer, JournalEntry.mostBytes(producer.countNew(added), 0));
            producer.begin(context.timeMs(), context.nowNs());
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
    public void commitCursors(String name, ProducerIdentity identity, List<CursorMove> wanted) {
        context.checkWritable();
        TxProducer producer = find(name, identity);
        List<CursorCommit> commits = wanted.stream().map(this::checked).toList();
        producer.lock().lock();
        try {
            Runnable undo;
            decisions.journal().makeRoom(producer, JournalEntry.mostBytes(commits));
            synchronized (producer) {
                producer.checkIdentity(identity);
                decisions.journal().checkRoom(producer, producer.moreBytes(commits));
                producer.begin(context.timeMs(), context.nowNs());
                undo = producer.addCommits(commits);
            }
            upkeep.watch(producer);
            try {
                decisions.writeAdded(producer, commits); // they survive a crash, as the batches do
            } catch (StoreFullException | RecordTooLargeException e) {
                undo.run(); // or they could keep the transaction from being ended
                throw e;
            }
        } finally {
            producer.lock().unlock();
        }
    }

    private CursorCommit checked(CursorMove wanted) {
        UUID topic = store.topicOf(wanted.topic(), wanted.cursor());
        TxPartition read = store.partition(topic, wanted.partition());
        CursorCommit commit =
                new CursorCommit(
                        new CursorCommit.Place(topic, wanted.cursor(), wanted.partition()),
                        wanted.offset(),
                        read != null && !read.log().isPosition(wanted.offset()),
                        JournalEntry.SELF,
                        wanted.note());
        if (read == null) {
            store.topicOf(wanted.topic(), wanted.cursor()); // throws when it was deleted just now
            throw commit.hasNoPartition();
        }
        return commit;
    }

    @Override
    public List<CursorMove> notes(String name) {
        TxProducer producer = producers.byName(name);
        List<CursorMove> notes = new ArrayList<>();
        for (CursorCommit each :
                producer == null ? List.<CursorCommit>of() : producer.pending().commits()) {
            TxPartition place = each.isNoteLeft() ? placeOf(each) : null;
            if (place != null) {
                notes.add(
                        new CursorMove(
                                place.user().topic(),
                                each.cursor(),
                                each.partition(),
                                each.offset(),
                                each.note()));
            }
        }
        return notes;
    }

    private TxPartition placeOf(CursorCommit commit) {
        return store.partition(commit.topicId(), commit.partition());
    }

    @Override
    public void keptNotes(String name, Collection<CursorMove> kept) {
        TxProducer producer = producers.byName(name);
        if (producer != null && !kept.isEmpty()) {
            producer.pending().forgetNotes(Set.copyOf(kept));
        }
    }

    @Override
    public long journalBytes(String name) {
        TxProducer producer = producers.byName(name);
        return producer == null ? 0 : producer.mostBytes();
    }

    @Override
    public boolean isCommitting(Topic topic, String cursor, int partition) {
        return upkeep.watched().stream()
                .anyMatch(producer -> producer.hasCommitOf(topic.id(), cursor, partition));
    }

    @Override
    public ProducerIdentity end(
            String name, ProducerIdentity identity, boolean commit, boolean bumpsEpoch) {
        context.checkWritable();
        TxProducer producer = find(name, identity);
        producer.lock().lock();
        try {
            producer.checkUsable();
            boolean hasNext = !identity.equals(producer.identity());
            if (bumpsEpoch && hasNext && identity.equals(producer.ended())) {
                // The answer was lost, and it asks again: of this very transaction.
                producer.checkEnded(commit, commit ? COMMITTED : ABORTED);
                return producer.identity();
            }
            producer.checkIdentity(identity);
            if (producer.state() != State.ONGOING && !(bumpsEpoch && !commit)) {
                Set<State> committed = bumpsEpoch ? NONE : COMMITTED;
                Set<State> aborted = producer.mayHaveForgotten() ? NOT_COMMITTING : ABORTED;
                producer.checkEnded(commit, commit ? committed : aborted);
                return producer.identity();
            }
            ProducerIdentity next = bumpsEpoch ? opener.next(identity) : identity;
            int markerEpoch = bumpsEpoch ? identity.epoch() + 1 : identity.epoch();
            if (producer.state() != State.ONGOING) {
                producer.begin(context.timeMs(), context.nowNs());
            }
            decisions.end(producer, commit, markerEpoch, next);
            producers.onIdentity(producer);
            return producer.identity();
        } finally {
            producer.lock().unlock();
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
            if (!producer.failure().isSet() && producer.isOpenForTooLong(context.nowNs())) {
                ProducerIdentity now = producer.identity();
                decisions.end(producer, false, now.epoch() + 1, opener.next(now));
                producers.onIdentity(producer);
            }
        } finally {
            producer.lock().unlock();
        }
    }

    // ---- looks

    /** Returns what readers of committed records wait for, oldest first. */
    public List<StoreMetrics.TransactionMetrics> metrics() {
        List<StoreMetrics.TransactionMetrics> found = new ArrayList<>();
        for (TxProducer each : producers.all()) {
            StoreMetrics.TransactionMetrics waitedFor = each.waitedFor();
            if (waitedFor != null) {
                found.add(waitedFor);
            }
        }
        found.sort(Comparator.comparing(each -> each.startTime().orElse(Instant.MIN)));
        return List.copyOf(found);
    }

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
        return store.partition(partition).producers().list();
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
