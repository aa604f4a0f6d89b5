package io.firn.tx;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.FirnException;
import io.firn.ProducerFencedException;
import io.firn.ProducerIdentity;
import io.firn.TransactionCoordinator.State;
import io.firn.TransactionStateException;
import io.firn.UnknownProducerException;
import io.firn.log.PartitionTransactions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One producer of transactions, and its transaction. Whoever opens it, ends its transaction or
 * writes its entry holds {@link #lock}, which may be held while a disk works. The monitor guards
 * the fields, and is held only for moments: partitions ask, with the turn, whether they may append.
 */
final class TxProducer {
    /** An unnamed producer has no time-out. */
    static final int NO_TIMEOUT = 0;

    private final String key;
    private final String name;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("this")
    private ProducerIdentity identity;

    @GuardedBy("this")
    private int timeoutMs;

    @GuardedBy("this")
    private long lastUsedMs;

    @GuardedBy("this")
    private State state = State.EMPTY;

    /** The open transaction takes no more appends, although it is not decided. */
    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private long startMs = -1;

    @GuardedBy("this")
    private long startNs;

    /** The partitions of the open transaction, each with its end once the transaction is closed. */
    @GuardedBy("this")
    private final Map<TxPartition, Long> members = new LinkedHashMap<>();

    @GuardedBy("this")
    private final List<Move> openMoves = new ArrayList<>();

    /** What was decided and is not known to be durable everywhere. */
    @GuardedBy("this")
    private final List<Unmarked> endings = new ArrayList<>();

    @GuardedBy("this")
    private List<Move> moves = new ArrayList<>();

    /** With what the last transaction was ended, for who asks again. */
    @GuardedBy("this")
    private ProducerIdentity ended;

    @GuardedBy("this")
    private FirnException failure;

    /** Where its last entry is in the journal; for the holder of the lock. */
    private long entryOffset = -1;

    /**
     * A partition that has no durable marker of a decision.
     *
     * @param partition null when it is gone
     */
    static final class Unmarked {
        private final Ending ending;
        private final TxPartition partition;

        /** The offset after the marker; −1 before it is appended. */
        private volatile long markedTo = -1;

        Unmarked(Ending ending, TxPartition partition) {
            this.ending = ending;
            this.partition = partition;
        }

        Ending ending() {
            return ending;
        }

        TxPartition partition() {
            return partition;
        }

        boolean isMarked() {
            return markedTo >= 0 || partition.log().state().isGone();
        }

        void marked(long to) {
            markedTo = to;
        }

        boolean isDone() {
            return partition.log().state().isGone()
                    || (markedTo >= 0 && partition.log().durableOffset() >= markedTo);
        }
    }

    TxProducer(String key, String name, ProducerIdentity identity, int timeoutMs, long nowMs) {
        this.key = key;
        this.name = name;
        this.identity = identity;
        this.timeoutMs = timeoutMs;
        this.lastUsedMs = nowMs;
    }

    /** Creates it from its last entry in the journal; its endings are added by recovery. */
    static TxProducer of(String key, String name, Journal.Placed placed) {
        JournalEntry entry = placed.entry();
        TxProducer producer =
                new TxProducer(
                        key,
                        name,
                        new ProducerIdentity(entry.id(), entry.epoch()),
                        entry.timeoutMs(),
                        entry.lastUsedMs());
        synchronized (producer) {
            producer.state = entry.state();
            producer.moves.addAll(entry.moves());
            producer.openMoves.addAll(entry.openMoves());
            producer.ended =
                    entry.endedId() < 0
                            ? null
                            : new ProducerIdentity(entry.endedId(), entry.endedEpoch());
        }
        producer.entryOffset = placed.offset();
        return producer;
    }

    String key() {
        return key;
    }

    /** Returns null for an unnamed one. */
    String name() {
        return name;
    }

    boolean isNamed() {
        return name != null;
    }

    ReentrantLock lock() {
        return lock;
    }

    synchronized ProducerIdentity identity() {
        return identity;
    }

    synchronized int timeoutMs() {
        return timeoutMs;
    }

    synchronized State state() {
        return state;
    }

    synchronized long startMs() {
        return startMs;
    }

    synchronized long lastUsedMs() {
        return lastUsedMs;
    }

    /** Returns the partitions of the open transaction, or those without a marker. */
    synchronized List<TxPartition> members() {
        if (state == State.ONGOING) {
            return List.copyOf(members.keySet());
        }
        return endings.stream().filter(each -> !each.isMarked()).map(Unmarked::partition).toList();
    }

    @Override
    public synchronized String toString() {
        return isNamed() ? "producer '" + name + "'" : "producer " + identity.id();
    }

    // ---- what may be done

    /** As {@link #checkIdentity}, but the one with which the last transaction was ended passes. */
    synchronized void checkIdentityOrEnded(ProducerIdentity other) {
        if (!other.equals(ended)) {
            checkIdentity(other);
        }
    }

    /** Throws when an identity is not the present one. */
    synchronized void checkIdentity(ProducerIdentity other) {
        if (other.id() != identity.id()) {
            throw new UnknownProducerException(
                    this + " has the id " + identity.id() + ", not " + other.id());
        }
        checkEpoch(other.epoch());
    }

    @GuardedBy("this")
    private void checkEpoch(int epoch) {
        if (epoch != identity.epoch()) {
            throw new ProducerFencedException(
                    this
                            + ": epoch "
                            + epoch
                            + " is not the present one, "
                            + identity.epoch()
                            + ": it was opened again, or its transaction timed out; open it again");
        }
    }

    /** Throws when its last decision could not be written, so that it is unknown. */
    synchronized void checkUsable() {
        if (failure != null) {
            throw new FirnException(failure.getMessage(), failure);
        }
    }

    /** Its decision may or may not be durable: it is found out when the store is opened again. */
    synchronized void fail(FirnException why) {
        failure =
                new FirnException(
                        this
                                + ": the outcome of its transaction could not be written ("
                                + why.getMessage()
                                + "), so it is unknown until the store is opened again",
                        why);
    }

    synchronized FirnException failure() {
        return failure;
    }

    /**
     * Returns whether a batch may be appended (O11).
     *
     * @throws ProducerFencedException when its epoch is not the present one
     */
    synchronized boolean takes(int epoch, PartitionTransactions partition) {
        checkEpoch(epoch);
        if (state != State.ONGOING || closed) {
            return false;
        }
        for (Unmarked each : endings) {
            if (each.partition().log().transactions() == partition && !each.isMarked()) {
                return false; // its last transaction there would take the batch with it
            }
        }
        return members.keySet().stream().anyMatch(each -> each.log().transactions() == partition);
    }

    // ---- the open transaction

    /** Begins a transaction if none is open. */
    synchronized void begin(long nowMs, long nowNs) {
        checkUsable();
        if (state == State.ONGOING) {
            if (closed) {
                throw new TransactionStateException(this + " is just ending its transaction");
            }
            return;
        }
        if (state == State.COMMITTING || state == State.ABORTING) {
            throw new TransactionStateException(this + " is just ending its last transaction");
        }
        state = State.ONGOING;
        startMs = nowMs;
        startNs = nowNs;
        lastUsedMs = nowMs;
    }

    /** Adds a partition to the open transaction of a process that began it. */
    synchronized void join(ProducerIdentity who, TxPartition partition) {
        checkIdentity(who);
        if (state != State.ONGOING || closed) {
            throw new TransactionStateException("the transaction of " + this + " has ended");
        }
        add(partition);
    }

    synchronized void add(TxPartition partition) {
        members.putIfAbsent(partition, -1L);
    }

    synchronized boolean has(TxPartition partition) {
        return state == State.ONGOING && members.containsKey(partition);
    }

    synchronized void addMoves(List<Move> more) {
        for (Move move : more) {
            openMoves.removeIf(move::isOfSame);
            openMoves.add(move);
        }
    }

    synchronized List<Move> openMoves() {
        return List.copyOf(openMoves);
    }

    synchronized boolean isOpenLongerThan(long nowNs) {
        return state == State.ONGOING
                && !closed
                && timeoutMs != NO_TIMEOUT
                && nowNs - startNs > timeoutMs * 1_000_000L;
    }

    /** Takes no more appends: from here on {@link #takes} is false (O12, step 1). */
    synchronized void close() {
        closed = true;
    }

    /** Notes where the batches of the closed transaction end in a partition. */
    synchronized void endsAt(TxPartition partition, long end) {
        members.put(partition, end);
    }

    /** Returns whether nothing was appended or moved in the open transaction. */
    synchronized boolean isEmpty() {
        return members.isEmpty() && openMoves.isEmpty();
    }

    // ---- its end

    /** Turns the closed transaction into a decision, which is not written yet. */
    synchronized void decide(boolean isCommit, int markerEpoch, ProducerIdentity next) {
        members.forEach(
                (partition, end) -> {
                    endings.removeIf(each -> each.ending().isIn(partition));
                    endings.add(
                            new Unmarked(
                                    new Ending(
                                            partition.topicId(),
                                            partition.index(),
                                            isCommit,
                                            identity.id(),
                                            markerEpoch,
                                            end),
                                    partition));
                });
        members.clear();
        if (isCommit) {
            for (Move move : openMoves) {
                moves.removeIf(move::isOfSame);
                moves.add(move);
            }
        }
        openMoves.clear();
        state = isCommit ? State.COMMITTING : State.ABORTING;
        ended = identity;
        identity = next;
        closed = false;
        startMs = -1;
    }

    /** Ends a transaction of which nothing has to be written. */
    synchronized void endWithoutTrace(boolean isCommit) {
        members.clear();
        openMoves.clear();
        state = isCommit ? State.COMMITTED : State.ABORTED;
        ended = identity;
        closed = false;
        startMs = -1;
    }

    synchronized ProducerIdentity ended() {
        return ended;
    }

    /** Gives it a new identity, when it has no open transaction. */
    synchronized void reopen(ProducerIdentity next, int newTimeoutMs, long nowMs) {
        identity = next;
        timeoutMs = newTimeoutMs;
        lastUsedMs = nowMs;
        state = State.EMPTY;
        ended = null;
    }

    synchronized void timeoutMs(int value) {
        timeoutMs = value;
    }

    /** Notes that the decision is durable, and its number. */
    synchronized void decided(long number) {
        List<Move> numbered = new ArrayList<>();
        for (Move move : moves) {
            numbered.add(move.decision() == JournalEntry.SELF ? move.decided(number) : move);
        }
        moves = numbered;
    }

    synchronized List<Unmarked> unmarked() {
        return endings.stream().filter(each -> !each.isMarked()).toList();
    }

    synchronized List<Move> moves() {
        return List.copyOf(moves);
    }

    /** Called when all partitions that could get their markers have them. */
    synchronized void onCarriedOut() {
        if (unmarked().isEmpty()) {
            if (state == State.COMMITTING) {
                state = State.COMMITTED;
            } else if (state == State.ABORTING) {
                state = State.ABORTED;
            }
        }
    }

    // ---- recovery

    /** Goes on with its transaction, which recovery found open; its time starts again. */
    synchronized void reopenTransaction(long nowMs, long nowNs) {
        state = State.ONGOING;
        startMs = nowMs;
        startNs = nowNs;
    }

    /** Adds a partition whose marker is missing. */
    synchronized void addEnding(Ending ending, TxPartition partition) {
        endings.add(new Unmarked(ending, partition));
    }

    // ---- its entry in the journal

    /** Forgets what is durable everywhere. */
    synchronized void prune(TxStore store) {
        endings.removeIf(Unmarked::isDone);
        moves.removeIf(move -> move.decision() != JournalEntry.SELF && store.isPersisted(move));
    }

    /** Returns whether nothing of it is open or left to do. */
    synchronized boolean isIdle() {
        return state != State.ONGOING && endings.isEmpty() && moves.isEmpty();
    }

    /** Returns whether the journal need not know it any more. */
    synchronized boolean isForgettable() {
        return !isNamed() && endings.isEmpty() && moves.isEmpty();
    }

    synchronized JournalEntry entry() {
        return new JournalEntry(
                identity.id(),
                identity.epoch(),
                timeoutMs,
                lastUsedMs,
                state,
                ended == null ? -1 : ended.id(),
                ended == null ? -1 : ended.epoch(),
                endings.stream().map(Unmarked::ending).toList(),
                List.copyOf(moves),
                List.copyOf(openMoves));
    }

    long entryOffset() {
        return entryOffset;
    }

    void entryOffset(long offset) {
        entryOffset = offset;
    }
}
