package io.firn.tx;

import io.firn.BusyException;
import io.firn.Finding.Kind;
import io.firn.FirnException;
import io.firn.RecordTooLargeException;
import io.firn.StoreFullException;
import io.firn.findings.FindingKey;
import io.firn.format.MarkerBatch;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionStateException;
import io.firn.log.LogContext;
import io.firn.tx.JournalEntry.AddedCommits;
import io.firn.tx.JournalEntry.MarkerToWrite;
import io.firn.tx.PendingCompletion.PendingMarker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * How transactions end (O12). The order:
 *
 * <ol>
 *   <li>The transaction is closed: no partition takes another batch of it. Appends that had begun
 *       are waited for, and where its batches end is noted.
 *   <li>A commit makes its data durable in all partitions, those of WRITTEN topics, too, and what
 *       is below the positions that cursors get (O7).
 *   <li>The decision is written into the journal, durably. It is never durable while its data is
 *       not.
 *   <li>Each partition gets a marker, and lets readers past the transaction; cursors are set.
 *   <li>The caller is told.
 *   <li>When markers and cursors are durable, the next entry of the producer no longer has them.
 * </ol>
 *
 * <p>A partition that cannot take its marker, since there is no room or its medium has failed,
 * holds up its readers until it can, or until the store is opened again. The decision stands.
 *
 * <p>An unnamed transaction in one partition that commits no cursor is decided by its marker:
 * readers are let past it when that is durable, and in a WRITTEN topic when it is written, since
 * the marker follows the data in the same log: a power cut takes both, or the marker, which aborts
 * the transaction, but never the data alone. Where there is no room for the marker, or another
 * append takes long, the journal decides it as well. To abort an unnamed transaction, nothing is
 * written into the journal: recovery aborts what it does not know.
 *
 * <p>The caller of each method that takes a producer holds its lock.
 */
final class Decisions {
    private static final int NO_DECISION = 0;

    private final LogContext context;
    private final TxStore store;
    private final Journal journal;
    private Consumer<TxProducer> onLeft = producer -> {};
    private Runnable onLong = () -> {};

    Decisions(LogContext context, TxStore store, Journal journal) {
        this.context = context;
        this.store = store;
        this.journal = journal;
    }

    Journal journal() {
        return journal;
    }

    /** Sets who is told that an abort or markers of a producer are left, and of a long journal. */
    void connect(Consumer<TxProducer> newOnLeft, Runnable newOnLong) {
        onLeft = newOnLeft;
        onLong = newOnLong;
    }

    /** Has a producer looked after whose transaction may be open for too long. */
    void watch(TxProducer producer) {
        onLeft.accept(producer);
    }

    /**
     * Ends the open transaction of a producer.
     *
     * @param markerEpoch the epoch of the markers, which fences all below it
     * @param next the producer's identity from then on
     * @throws FirnException when the data of a commit could not be made durable: the transaction is
     *     aborted; or when the decision could not be written: it is unknown
     */
    void end(TxProducer producer, boolean isCommit, int markerEpoch, ProducerIdentity next) {
        producer.checkUsable();
        producer.close(isCommit); // step 1
        List<TxPartition> members = producer.members();
        for (TxPartition each : members) {
            synchronized (each.producers()) { // no append is in progress
                producer.endsAt(each, each.log().nextOffset());
            }
        }
        if (producer.isEmpty() && next.equals(producer.identity())) {
            producer.endWithoutTrace(isCommit);
            return;
        }
        if (!isCommit) {
            decide(producer, false, markerEpoch, next);
            return;
        }
        boolean isByMarker =
                !producer.isNamed() && members.size() == 1 && producer.openCommits().isEmpty();
        if (isByMarker && commitByMarker(producer, members.get(0), markerEpoch, next)) {
            return;
        }
        try {
            makeDurable(producer, members); // step 2
        } catch (FirnException e) {
            throw abortedBecause(
                    producer, markerEpoch, next, "its data could not be made durable", e);
        }
        decide(producer, true, markerEpoch, next);
    }

    /**
     * Aborts the open transaction of a producer for its owner, who needs not come again: when there
     * is no room for the abort now, {@link TransactionDuty} tries until there is.
     */
    void abandon(TxProducer producer) {
        producer.checkUsable();
        producer.abandon(); // before, so that it is never open again for a moment
        try {
            endAbandoned(producer);
        } catch (StoreFullException | RecordTooLargeException e) {
            context.findings()
                    .begin(
                            keyOf(producer),
                            producer
                                    + ": its transaction is given up, but the abort could not be"
                                    + " written so far; committed reads wait for it, and it is"
                                    + " tried again: "
                                    + e.getMessage());
            onLeft.accept(producer);
        }
    }

    /** Tries again to abort a transaction that was given up. */
    void endAbandoned(TxProducer producer) {
        ProducerIdentity identity = producer.identity();
        end(producer, false, identity.epoch(), identity);
        context.findings().end(keyOf(producer));
    }

    /**
     * Aborts a transaction that could not be committed.
     *
     * @return what its caller is told
     * @throws StoreFullException when the journal has no room for the abort: it is still open
     * @throws RecordTooLargeException when the abort is too large for it: it is still open
     */
    private FirnException abortedBecause(
            TxProducer producer,
            int markerEpoch,
            ProducerIdentity next,
            String what,
            FirnException why) {
        String reason = what + ": " + why.getMessage();
        try {
            decide(producer, false, markerEpoch, next);
        } catch (StoreFullException | RecordTooLargeException e) {
            String told =
                    producer
                            + ": the transaction was not committed, since "
                            + reason
                            + "; nor could it be aborted, so it is still open: "
                            + e.getMessage();
            FirnException open =
                    e instanceof StoreFullException
                            ? new StoreFullException(told, e)
                            : new RecordTooLargeException(told);
            open.addSuppressed(why);
            throw open;
        } catch (FirnException e) {
            e.addSuppressed(why);
            throw e; // nobody knows whether the abort was written
        }
        return TxFailure.ofKind(producer + ": the transaction was aborted, since " + reason, why);
    }

    private void makeDurable(TxProducer producer, List<TxPartition> members) {
        List<Runnable> forces = new ArrayList<>();
        for (TxPartition each : members) {
            forces.add(() -> each.forcer().awaitDurable(each.log().nextOffset()));
        }
        context.background().sideBySide().run(forces);
        for (CursorCommit commit : producer.openCommits()) {
            TxPartition read = store.partition(commit.topicId(), commit.partition());
            if (read != null && !commit.isOutside()) {
                read.forcer().awaitDurable(Math.min(commit.offset(), read.log().nextOffset()));
            }
        }
    }

    private void decide(
            TxProducer producer, boolean isCommit, int markerEpoch, ProducerIdentity next) {
        Runnable undo = producer.decide(isCommit, markerEpoch, next);
        long number = NO_DECISION;
        if (isCommit || producer.isNamed()) {
            try {
                number = write(producer); // step 3
            } catch (StoreFullException | RecordTooLargeException e) {
                undo.run(); // nothing was written: the transaction is still open
                throw e;
            }
        }
        producer.pending().decided(number);
        carryOut(producer, number); // step 4
    }

    /**
     * The marker is the decision, and readers are held up until it is durable; in a WRITTEN topic
     * until it is written.
     *
     * @return false when the partition has no room for it now, or is busy: the journal has to
     *     decide, and the marker follows when it can
     */
    private boolean commitByMarker(
            TxProducer producer, TxPartition only, int markerEpoch, ProducerIdentity next) {
        ProducerIdentity fencing = new ProducerIdentity(producer.identity().id(), markerEpoch);
        long first = only.producers().firstOfOpen(fencing.id());
        boolean wasPoisoned = only.log().state().isPoisoned();
        boolean isForced = only.log().isDurable();
        long marker;
        try {
            marker = mark(only, fencing, true, NO_DECISION, isForced);
        } catch (StoreFullException | BusyException e) {
            return false;
        } catch (FirnException e) {
            if (only.log().state().isPoisoned() && !wasPoisoned) {
                throw producer.failure().set(producer, e); // the marker may be there or not
            }
            throw abortedBecause(producer, markerEpoch, next, "its partition takes no marker", e);
        }
        if (marker >= 0 && isForced) {
            try {
                only.forcer().awaitDurable(marker + 1);
            } catch (FirnException e) {
                throw producer.failure().set(producer, e);
            }
            only.producers().transactions().release(first, only.log().readers());
        }
        producer.endWithoutTrace(true);
        return true;
    }

    /**
     * Writes the state of a producer; durable on return.
     *
     * @return the number of the decision that it contains, if it contains a new one
     */
    long write(TxProducer producer) {
        producer.checkUsable();
        return write(List.of(producer));
    }

    /**
     * Writes the states of producers, whose locks the caller holds.
     *
     * @return the offset of the last one
     */
    long write(List<TxProducer> producers) {
        for (TxProducer each : producers) {
            each.pending().prune(store); // step 6
        }
        return write(producers, () -> append(producers));
    }

    /** Makes cursor commits durable that were added to the open transaction of a producer last. */
    void writeAdded(TxProducer producer, List<CursorCommit> commits) {
        producer.checkUsable();
        AddedCommits added = producer.added(commits, journal.enoughBytes());
        if (added == null) {
            write(producer);
            return;
        }
        write(
                List.of(producer),
                () -> {
                    journal.append(producer, added);
                    return producer.entryOffset();
                });
    }

    private long write(List<TxProducer> producers, LongSupplier append) {
        try {
            long offset = append.getAsLong();
            if (journal.isLong()) {
                onLong.run();
            }
            return offset;
        } catch (StoreFullException e) {
            throw new StoreFullException(
                    "the journal of transactions has no room: " + e.getMessage(), e);
        } catch (RecordTooLargeException e) {
            throw new RecordTooLargeException(
                    producers.get(0)
                            + ": the transaction has too many partitions and cursors for the journal:"
                            + " "
                            + e.getMessage());
        } catch (FirnException e) {
            producers.forEach(each -> each.failure().set(each, e));
            throw producers.get(0).failure().set(producers.get(0), e);
        }
    }

    /** Appends entries; markers that are not durable yet may be what makes one too large. */
    private long append(List<TxProducer> producers) {
        long from = journal.nextOffset();
        try {
            return journal.append(producers);
        } catch (RecordTooLargeException e) {
            List<TxProducer> left = // several batches: those before it are there
                    producers.stream().filter(each -> each.entryOffset() < from).toList();
            for (TxProducer each : left) {
                each.pending().makeMarkersDurable();
                each.pending().prune(store);
            }
            return journal.append(left);
        }
    }

    /**
     * Appends the markers that are missing, and sets cursors.
     *
     * @return whether nothing is left to do
     */
    boolean carryOut(TxProducer producer, long number) {
        boolean isDone = true;
        for (PendingMarker each : producer.pending().unmarked()) {
            isDone &= carryOut(producer, each, number);
        }
        for (CursorCommit commit : producer.pending().commits()) {
            store.commit(commit);
        }
        producer.onCarriedOut();
        if (!isDone) {
            onLeft.accept(producer);
        }
        return isDone;
    }

    private boolean carryOut(TxProducer producer, PendingMarker unmarked, long number) {
        MarkerToWrite toWrite = unmarked.toWrite();
        TxPartition partition = unmarked.partition();
        try {
            int decision = (int) (number & Integer.MAX_VALUE);
            long marker = mark(partition, toWrite.identity(), toWrite.isCommit(), decision, false);
            unmarked.marked(marker < 0 ? partition.log().nextOffset() : marker + 1);
            context.findings().end(keyOf(partition, producer));
            return true;
        } catch (FirnException e) {
            if (partition.log().state().isGone()) {
                return true;
            }
            context.findings()
                    .begin(
                            keyOf(partition, producer),
                            partition
                                    + ": the transaction of "
                                    + producer
                                    + (toWrite.isCommit() ? " is committed" : " is aborted")
                                    + ", but its marker could not be appended so far; committed"
                                    + " reads wait for it, and it is tried again: "
                                    + e.getMessage());
            return false;
        }
    }

    private static FindingKey keyOf(TxPartition partition, TxProducer producer) {
        return FindingKey.of(
                Kind.TRANSACTION_STALLED, partition.log().subject(), "marker of " + producer);
    }

    private FindingKey keyOf(TxProducer producer) {
        return FindingKey.of(Kind.TRANSACTION_STALLED, context.subject(), "abort of " + producer);
    }

    private long mark(
            TxPartition partition,
            ProducerIdentity identity,
            boolean isCommit,
            int decision,
            boolean holds) {
        byte[] marker =
                MarkerBatch.encode(
                        identity.id(), identity.epoch(), isCommit, decision, context.timeMs());
        return partition.appendMarker(marker, isCommit, decision, holds);
    }

    /** Aborts a transaction in one partition; throws when none is open there. */
    void abort(TxPartition partition, ProducerIdentity identity) {
        if (mark(partition, identity, false, NO_DECISION, false) < 0) {
            throw new TransactionStateException(
                    partition + ": producer " + identity.id() + " has no open transaction there");
        }
    }
}
