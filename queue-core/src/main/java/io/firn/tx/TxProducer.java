package io.firn.tx;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.ProducerFencedException;
import io.firn.ProducerIdentity;
import io.firn.TransactionCoordinator.NamedProducer;
import io.firn.TransactionCoordinator.State;
import io.firn.TransactionStateException;
import io.firn.UnknownProducerException;
import io.firn.log.BatchInfo;
import io.firn.log.PartitionTransactions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One producer of transactions, and its transaction. Whoever opens it, ends its transaction or
 * writes its entry holds {@link #lock}, which may be held while a disk works. The monitor guards
 * the fields, and is held only for moments: partitions ask, with the turn, whether they may append.
 */
final class TxProducer {
    /** An unnamed producer has no time-out. */
    static final int NO_TIMEOUT = 0;

    private static final long NS_PER_MS = 1_000_000;

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

    /** The open transaction; null unless the state is ONGOING. */
    @GuardedBy("this")
    private Opened open;

    @GuardedBy("this")
    private Undone undone = new Undone();

    /** The moves of a commit that is being decided: cursors have not made them yet. */
    @GuardedBy("this")
    private List<Move> deciding = List.of();

    /** With what the last transaction was ended, for who asks again. */
    @GuardedBy("this")
    private ProducerIdentity ended;

    private final TxFailure failure = new TxFailure();

    /** Where its last entry is in the journal; for the holder of the lock. */
    private long entryOffset = -1;

    TxProducer(String key, String name, ProducerIdentity identity, int timeoutMs, long nowMs) {
        this.key = key;
        this.name = name;
        this.identity = identity;
        this.timeoutMs = timeoutMs;
        this.lastUsedMs = nowMs;
    }

    /** Takes over its last entry in the journal; recovery adds what is open or unmarked. */
    synchronized void load(JournalEntry entry, Opened transaction) {
        state = entry.state();
        open = state == State.ONGOING ? transaction : null;
        undone.addAll(entry.moves());
        boolean hasEnded = entry.endedId() >= 0;
        ended = hasEnded ? new ProducerIdentity(entry.endedId(), entry.endedEpoch()) : null;
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

    /**
     * Acquires the lock if nobody has it, not even the caller: who waits for the journal, in the
     * middle of a decision, may do background work meanwhile.
     */
    boolean tryLock() {
        return !lock.isHeldByCurrentThread() && lock.tryLock();
    }

    synchronized ProducerIdentity identity() {
        return identity;
    }

    synchronized State state() {
        return state;
    }

    /** Returns when the open transaction began; −1 when none is open. */
    synchronized long startMs() {
        return open == null ? -1 : open.startMs();
    }

    synchronized long lastUsedMs() {
        return lastUsedMs;
    }

    /** Returns the partitions of the open transaction, or those without a marker. */
    synchronized List<TxPartition> members() {
        return open != null
                ? open.members()
                : undone.unmarked().stream().map(Unmarked::partition).toList();
    }

    /** Returns what is shown of a named one. */
    synchronized NamedProducer shown() {
        return new NamedProducer(
                name,
                identity,
                Duration.ofMillis(timeoutMs),
                state,
                members().stream().map(TxPartition::user).toList(),
                startMs());
    }

    @Override
    public synchronized String toString() {
        return isNamed() ? "producer '" + name + "'" : "producer " + identity.id();
    }

    // ---- what may be done

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
    void checkUsable() {
        failure.check();
    }

    TxFailure failure() {
        return failure;
    }

    /**
     * Returns whether a batch may be appended (O11).
     *
     * @throws ProducerFencedException when its epoch is not the present one
     */
    synchronized boolean takes(BatchInfo batch, PartitionTransactions partition) {
        if (batch.producerId() != identity.id()) {
            return false; // an id that it had before
        }
        checkEpoch(batch.producerEpoch());
        TxPartition member = open == null || open.isClosed() ? null : open.member(partition);
        // A transaction that has ended, but has no marker yet, would take the batch with it.
        return member != null && !undone.isUnmarked(member);
    }

    // ---- the open transaction

    /** Begins a transaction if none is open. */
    synchronized void begin(long nowMs, long nowNs) {
        checkUsable();
        boolean isEnding =
                open == null
                        ? state == State.COMMITTING || state == State.ABORTING
                        : open.isClosed();
        if (isEnding) {
            throw new TransactionStateException(this + " is just ending a transaction: try again");
        }
        if (open == null) {
            open = new Opened(nowMs, nowNs);
            state = State.ONGOING;
            lastUsedMs = nowMs;
        }
    }

    /** Begins a transaction for who has one at a time. */
    synchronized void begin(ProducerIdentity asked, long nowMs, long nowNs) {
        checkIdentity(asked);
        if (state == State.ONGOING) {
            throw new TransactionStateException(
                    this + " has an open transaction: commit or abort it first");
        }
        begin(nowMs, nowNs);
    }

    /** Adds a partition to the open transaction of a process that began it. */
    synchronized void join(ProducerIdentity who, TxPartition partition) {
        checkOpen(who);
        open.add(partition);
    }

    /** Adds a move, likewise. */
    synchronized void join(ProducerIdentity who, Move move) {
        checkOpen(who);
        open.addMoves(List.of(move));
    }

    @GuardedBy("this")
    private void checkOpen(ProducerIdentity who) {
        checkIdentity(who);
        if (open == null || open.isClosed()) {
            throw new TransactionStateException("the transaction of " + this + " has ended");
        }
    }

    synchronized void add(TxPartition partition) {
        open.add(partition);
    }

    synchronized boolean has(TxPartition partition) {
        return open != null && open.has(partition);
    }

    /** Returns whether a partition belongs to what is open, or to a decision without a marker. */
    synchronized boolean needs(TxPartition partition) {
        return has(partition) || undone.isUnmarked(partition);
    }

    synchronized void addMoves(List<Move> more) {
        open.addMoves(more);
    }

    synchronized List<Move> openMoves() {
        return open == null ? List.of() : open.moves();
    }

    /** Returns the moves that cursors may still make: those of a commit, until they have. */
    synchronized List<Move> comingMoves() {
        return open == null ? deciding : open.moves();
    }

    synchronized boolean isOpenForTooLong(long nowNs) {
        return open != null
                && timeoutMs != NO_TIMEOUT
                && open.isOpenLongerThan(timeoutMs * NS_PER_MS, nowNs);
    }

    /** Takes no more batches into the open transaction (O12, step 1). */
    synchronized void close() {
        open.close();
    }

    /** Notes where the batches of the closed transaction end in a partition. */
    synchronized void endsAt(TxPartition partition, long end) {
        open.endsAt(partition, end);
    }

    /** Returns whether nothing was appended or moved in the open transaction. */
    synchronized boolean isEmpty() {
        return open.isEmpty();
    }

    // ---- its end

    /**
     * Turns the closed transaction into a decision, which is not written yet.
     *
     * @return what undoes that
     */
    synchronized Runnable decide(boolean isCommit, int markerEpoch, ProducerIdentity next) {
        Opened openBefore = open;
        Undone undoneBefore = new Undone(undone);
        ProducerIdentity endedBefore = ended;
        ProducerIdentity identityBefore = identity;
        undone.end(open, isCommit, identity.id(), markerEpoch);
        deciding = isCommit ? open.moves() : List.of();
        open = null;
        state = isCommit ? State.COMMITTING : State.ABORTING;
        ended = identity;
        identity = next;
        return () -> {
            synchronized (this) {
                open = openBefore;
                open.reopen();
                deciding = List.of();
                undone = undoneBefore;
                ended = endedBefore;
                identity = identityBefore;
                state = State.ONGOING;
            }
        };
    }

    /** Ends a transaction of which nothing has to be written. */
    synchronized void endWithoutTrace(boolean isCommit) {
        open = null;
        state = isCommit ? State.COMMITTED : State.ABORTED;
        ended = identity;
    }

    synchronized ProducerIdentity ended() {
        return ended;
    }

    /**
     * Gives it a new identity, unless it has an open transaction.
     *
     * @param continued the identity with which it asked to go on, for when it asks again; null when
     *     another one fences it
     * @return false when a transaction is open, which has to be ended first
     */
    synchronized boolean reopen(
            ProducerIdentity next, int newTimeoutMs, long nowMs, ProducerIdentity continued) {
        if (open != null) {
            return false;
        }
        identity = next;
        timeoutMs = newTimeoutMs;
        lastUsedMs = nowMs;
        state = State.EMPTY;
        ended = continued;
        return true;
    }

    /** Returns whether it got its identity by going on with another one, and has not used it. */
    synchronized boolean isReopened(ProducerIdentity continued) {
        return state == State.EMPTY && continued.equals(ended);
    }

    synchronized void decided(long number) {
        undone.decided(number);
    }

    synchronized List<Unmarked> unmarked() {
        return undone.unmarked();
    }

    synchronized List<Move> moves() {
        return undone.moves();
    }

    /**
     * Called when cursors have moved, and all partitions that could get their markers have them.
     */
    synchronized void onCarriedOut() {
        deciding = List.of();
        if (undone.unmarked().isEmpty()) {
            if (state == State.COMMITTING) {
                state = State.COMMITTED;
            } else if (state == State.ABORTING) {
                state = State.ABORTED;
            }
        }
    }

    // ---- recovery

    /** Adds a partition in which recovery found its transaction open. */
    synchronized void addOpen(TxPartition partition, long nowMs, long nowNs) {
        if (open == null) {
            open = new Opened(nowMs, nowNs);
            state = State.ONGOING;
        }
        open.add(partition);
    }

    /** Adds a partition whose marker is missing. */
    synchronized void addEnding(Ending ending, TxPartition partition) {
        undone.add(new Unmarked(ending, partition));
    }

    // ---- its entry in the journal

    /** Forgets what is durable everywhere. */
    void prune(TxStore store) {
        Set<Move> persisted = new HashSet<>();
        for (Move move : moves()) { // outside of the monitor: it may read a cursor's file
            if (move.decision() != JournalEntry.SELF && store.isPersisted(move)) {
                persisted.add(move);
            }
        }
        synchronized (this) {
            undone.prune(persisted);
        }
    }

    /** Returns whether a decision that the journal still has moves a cursor. */
    synchronized boolean hasMoved(UUID topicId, String cursor) {
        return undone.moves(topicId, cursor);
    }

    /** Forgets decided moves of a cursor that was deleted; returns whether there were any. */
    synchronized boolean forgetMoves(UUID topicId, String cursor) {
        return undone.forgetMoves(topicId, cursor);
    }

    /** Returns whether nothing of it is open or left to do. */
    synchronized boolean isIdle() {
        return open == null && undone.isNothing();
    }

    synchronized JournalEntry entry() {
        // What an unnamed one has open ends with the process, and no entry may say otherwise.
        boolean isOpen = open != null && isNamed();
        return new JournalEntry(
                identity.id(),
                identity.epoch(),
                timeoutMs,
                lastUsedMs,
                open != null && !isOpen ? State.EMPTY : state,
                ended == null ? -1 : ended.id(),
                ended == null ? -1 : ended.epoch(),
                undone.endings(),
                undone.moves(),
                isOpen ? open.moves() : List.of());
    }

    long entryOffset() {
        return entryOffset;
    }

    void entryOffset(long offset) {
        entryOffset = offset;
    }
}
