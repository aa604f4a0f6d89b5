package io.firn.tx;

import io.firn.BusyException;
import io.firn.Partition;
import io.firn.Transaction.State;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator.NamedProducer;
import io.firn.host.TransactionStateException;
import io.firn.log.BatchInfo;
import io.firn.log.SegmentedLog;
import io.firn.tx.JournalEntry.AddedCommits;
import io.firn.tx.OngoingTransaction.TransactionMetrics;
import io.firn.tx.PendingCompletion.PendingMarker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import javax.annotation.concurrent.GuardedBy;

/**
 * One producer of transactions, and its transaction. The thread that opens it, ends its transaction
 * or writes its entry holds {@link #lock}, which may be held while a disk works. The monitor guards
 * the fields, and is held only for moments: partitions ask, with the turn, whether they may append.
 */
final class TxProducer {
    /** An unnamed producer has no time-out. */
    static final int NO_TIMEOUT = 0;

    private static final long NS_PER_MS = 1_000_000;

    private final String key;
    private final int leastBytes; // of its entry, with its key
    private final String name; // null for an unnamed one
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("this")
    private final Identities identities;

    @GuardedBy("this")
    private int timeoutMs;

    @GuardedBy("this")
    private long lastUsedMs;

    /** When it was noticed that the time is to come. */
    @GuardedBy("this")
    private long aheadSinceMs = Long.MAX_VALUE;

    @GuardedBy("this")
    private State state = State.EMPTY;

    /** The open transaction; null unless the state is ONGOING. */
    @GuardedBy("this")
    private OngoingTransaction open;

    private final PendingCompletion pending = new PendingCompletion();

    /** Whether a transaction that had nothing durable yet may have been open before a restart. */
    @GuardedBy("this")
    private boolean mayHaveForgotten;

    /** A commit that is being decided, of which cursors are not set yet; null for none. */
    @GuardedBy("this")
    private OngoingTransaction deciding;

    private final TxFailure failure = new TxFailure();

    /** Null while an append uses it. */
    private final AtomicReference<RecordBatch> recordBatch = new AtomicReference<>();

    /** Whether it is kept for another transaction; for the holder of the monitor of all. */
    private boolean kept;

    /** Where its last entry is in the journal; for the holder of the lock. */
    private long entryOffset = -1;

    TxProducer(String key, String name, ProducerIdentity identity, int timeoutMs, long nowMs) {
        this.key = key;
        this.leastBytes = JournalEntry.FIXED_BYTES + EntryWriter.sizeOf(key);
        this.name = name;
        this.identities = new Identities(name, identity);
        this.timeoutMs = timeoutMs;
        this.lastUsedMs = nowMs;
    }

    /** Takes over its last entry in the journal; recovery adds what is open or unmarked. */
    synchronized void load(JournalEntry entry, OngoingTransaction transaction) {
        mayHaveForgotten = true;
        state = entry.state();
        open = state == State.ONGOING ? transaction : null;
        transaction.onEntry(true);
        transaction.onEntryWritten();
        pending.addAll(entry.commits());
        identities.load(entry);
    }

    String key() {
        return key;
    }

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
     * Acquires the lock if no thread has it, not even the caller: who waits for the journal, in the
     * middle of a decision, may do background work meanwhile.
     */
    boolean tryLock() {
        return !lock.isHeldByCurrentThread() && lock.tryLock();
    }

    synchronized ProducerIdentity identity() {
        return identities.now();
    }

    synchronized State state() {
        return state;
    }

    synchronized long startMs() {
        return open == null ? -1 : open.startMs();
    }

    /**
     * Returns when it was used last. A time that is to come counts as when that was noticed, for as
     * long as it is to come: a clock that was behind for a while changes nothing.
     */
    synchronized long lastUsedMs(long nowMs) {
        aheadSinceMs = lastUsedMs > nowMs ? Math.min(aheadSinceMs, nowMs) : Long.MAX_VALUE;
        return Math.min(lastUsedMs, aheadSinceMs);
    }

    /** Returns the partitions of the open transaction, or those without a marker. */
    synchronized List<TxPartition> members() {
        return open != null
                ? open.members()
                : pending.unmarked().stream().map(PendingMarker::partition).toList();
    }

    private Optional<Instant> startTime() {
        return startMs() < 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(startMs()));
    }

    private record Shown(
            String name,
            ProducerIdentity identity,
            Duration timeout,
            State state,
            List<Partition> partitions,
            Optional<Instant> startTime)
            implements NamedProducer {}

    /** Returns what is shown of a named one. */
    synchronized NamedProducer shown() {
        return new Shown(
                name,
                identities.now(),
                Duration.ofMillis(timeoutMs),
                state,
                members().stream().map(TxPartition::user).toList(),
                startTime());
    }

    /** Returns what readers of committed records wait for; null if there is nothing. */
    synchronized TransactionMetrics waitedFor() {
        if (open == null && !isEnding()) {
            return null;
        }
        return new TransactionMetrics(
                Optional.ofNullable(name),
                identities.now().id(),
                identities.now().epoch(),
                state,
                startTime(),
                members().stream().map(TxPartition::user).toList());
    }

    /** Returns a transaction that has been open for longer than a time; null if there is none. */
    synchronized TransactionMetrics openFor(long afterMs, long nowNs) {
        boolean isLong = open != null && open.isOpenLongerThan(afterMs * NS_PER_MS, nowNs);
        return isLong ? waitedFor() : null;
    }

    @Override
    public synchronized String toString() {
        return identities.toString();
    }

    /** Returns what its decisions still have to do. */
    PendingCompletion pending() {
        return pending;
    }

    // ---- what may be done

    synchronized void checkIdentity(ProducerIdentity other) {
        identities.check(other);
    }

    synchronized void checkOwn(ProducerIdentity own) {
        identities.checkOwn(own);
    }

    void checkUsable() {
        failure.check();
    }

    /** Returns a batch that no other thread has: a transaction that was fenced may still append. */
    RecordBatch takeRecordBatch() {
        RecordBatch kept = recordBatch.getAndSet(null);
        return kept == null ? new RecordBatch() : kept;
    }

    /** Keeps a batch for the next append. */
    void keepRecordBatch(RecordBatch unused) {
        recordBatch.set(unused);
    }

    TxFailure failure() {
        return failure;
    }

    /**
     * Returns whether a batch may be appended (O11).
     *
     * @throws ProducerFencedException when its id or its epoch is not the present one
     */
    synchronized boolean takes(BatchInfo batch, SegmentedLog log) {
        identities.checkOwn(batch);
        TxPartition member = open == null || open.isClosed() ? null : open.member(log);
        // A transaction that has ended, but has no marker yet, would take the batch with it.
        return member != null && !pending.lacksMarker(member);
    }

    // ---- the open transaction

    /** Begins a transaction if none is open. */
    synchronized void begin(long nowMs, long nowNs) {
        checkUsable();
        failure.checkWritten();
        boolean isEnding =
                open == null
                        ? state == State.COMMITTING || state == State.ABORTING
                        : open.isClosed();
        if (isEnding) {
            throw new BusyException(this + " is just ending a transaction: try again");
        }
        if (open == null) {
            open = new OngoingTransaction(nowMs, nowNs);
            state = State.ONGOING;
            mayHaveForgotten = false;
            lastUsedMs = nowMs;
        }
    }

    /**
     * Checks how the last transaction has ended.
     *
     * @throws TransactionStateException when the state is none of those expected
     */
    synchronized void checkEnded(boolean commit, Set<State> expected) {
        if (!expected.contains(state)) {
            throw new TransactionStateException(
                    this
                            + " has no open transaction to "
                            + (commit ? "commit" : "abort")
                            + ": its state is "
                            + state);
        }
    }

    /**
     * Returns whether an abort may be for a transaction that is not known: it may have had only
     * partitions without batches when the process ended, which are written nowhere.
     */
    synchronized boolean mayHaveForgotten() {
        return mayHaveForgotten;
    }

    /** Begins a transaction for who has one at a time. */
    synchronized void begin(ProducerIdentity asked, long nowMs, long nowNs) {
        identities.checkOwn(asked);
        if (open != null && !open.isClosed()) {
            throw new TransactionStateException(
                    this + " has an open transaction: commit or abort it first");
        }
        begin(nowMs, nowNs);
    }

    /** Changes the open transaction of this process. */
    synchronized void change(ProducerIdentity who, Consumer<OngoingTransaction> change) {
        checkOpen(who);
        change.accept(open);
    }

    @GuardedBy("this")
    private void checkOpen(ProducerIdentity who) {
        identities.checkOwn(who);
        if (open == null || open.isClosed()) {
            throw new TransactionStateException("the transaction of " + this + " has ended");
        }
    }

    /** Returns whether a crash would leave its transaction open; throws when there is none. */
    synchronized boolean isToSurvive(ProducerIdentity who) {
        checkOpen(who);
        return !open.endsWithProcess();
    }

    synchronized void add(TxPartition partition) {
        open.add(partition);
    }

    /** Returns how large the entry of its decision would be, with its key, at most. */
    synchronized long mostBytes() {
        return leastBytes + pending.mostBytesLeft() + (open == null ? 0 : open.mostBytes());
    }

    /** Returns how many of some partitions the open transaction does not have. */
    synchronized int countNew(List<TxPartition> partitions) {
        int count = 0;
        for (TxPartition each : partitions) {
            count += has(each) ? 0 : 1;
        }
        return count;
    }

    /**
     * Returns how many bytes commits would add to {@link #mostBytes}; below 0 if they save some.
     */
    synchronized long moreBytes(List<CursorCommit> commits) {
        return open == null ? new CursorCommits().moreBytes(commits) : open.moreBytes(commits);
    }

    synchronized boolean has(TxPartition partition) {
        return open != null && open.has(partition);
    }

    /** Returns whether a partition belongs to what is open, or to a decision without a marker. */
    synchronized boolean needs(TxPartition partition) {
        return has(partition) || pending.lacksMarker(partition);
    }

    /** Adds cursor commits; returns what undoes that, as long as the transaction is open. */
    synchronized Runnable addCommits(List<CursorCommit> more) {
        Runnable undo = open.addCommits(more);
        return () -> {
            synchronized (this) {
                undo.run();
            }
        };
    }

    synchronized List<CursorCommit> openCommits() {
        return open == null ? List.of() : open.commits();
    }

    /** Returns whether cursors may still be set: by a decided commit, until they are. */
    synchronized boolean hasComingCommits() {
        return coming() != null && coming().hasCommits();
    }

    /** Returns whether a cursor may still be set in a partition. */
    synchronized boolean hasCommitOf(UUID topicId, String cursor, int partition) {
        return coming() != null && coming().hasCommitOf(topicId, cursor, partition);
    }

    @GuardedBy("this")
    private OngoingTransaction coming() {
        return open == null ? deciding : open;
    }

    synchronized boolean isOpenForTooLong(long nowNs) {
        return open != null
                && timeoutMs != NO_TIMEOUT
                && open.isOpenLongerThan(timeoutMs * NS_PER_MS, nowNs);
    }

    /**
     * Takes no more batches into the open transaction (O12, step 1).
     *
     * @throws TransactionStateException for a commit of what its owner has given up
     */
    synchronized void close(boolean isCommit) {
        if (isCommit && open.isAbandoned()) {
            throw new TransactionStateException(this + " is just aborting its transaction");
        }
        open.close();
    }

    /** Its owner gives the open transaction up, although its abort may find no room now. */
    synchronized void abandon() {
        open.abandon();
    }

    /** Returns whether an abort of what its owner has given up is still to be written. */
    synchronized boolean isAbandoned() {
        return open != null && open.isAbandoned() && !failure.isSet();
    }

    /** Notes where the batches of the closed transaction end in a partition. */
    synchronized void endsAt(TxPartition partition, long end) {
        open.endsAt(partition, end);
    }

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
        OngoingTransaction openBefore = open;
        Runnable pendingBefore = pending.memory();
        Runnable identitiesBefore = identities.memory();
        pending.end(open, isCommit, identities.now().id(), markerEpoch);
        deciding = isCommit ? open : null;
        open = null;
        state = isCommit ? State.COMMITTING : State.ABORTING;
        identities.end(next);
        return () -> {
            synchronized (this) {
                open = openBefore;
                open.reopen();
                deciding = null;
                pendingBefore.run();
                identitiesBefore.run();
                state = State.ONGOING;
            }
        };
    }

    /** Ends a transaction of which nothing has to be written. */
    synchronized void endWithoutTrace(boolean isCommit) {
        open = null;
        state = isCommit ? State.COMMITTED : State.ABORTED;
        identities.end(identities.now());
    }

    synchronized ProducerIdentity ended() {
        return identities.ended();
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
        identities.reopen(next, continued);
        timeoutMs = newTimeoutMs;
        lastUsedMs = nowMs;
        state = State.EMPTY;
        return true;
    }

    /** Returns whether it got its identity by going on with another one, and has not used it. */
    synchronized boolean isReopened(ProducerIdentity continued) {
        return state == State.EMPTY && continued.equals(identities.ended());
    }

    /** Called when cursors are set, and all partitions that could get their markers have them. */
    synchronized void onCarriedOut() {
        deciding = null;
        if (pending.unmarked().isEmpty()) {
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
            open = new OngoingTransaction(nowMs, nowNs);
            state = State.ONGOING;
        }
        open.add(partition);
    }

    // ---- its entry in the journal

    /** Returns whether an unnamed one may get another transaction. */
    synchronized boolean isReusable() {
        return !isNamed() && !failure.isSet() && open == null && !isEnding();
    }

    boolean isKept() {
        return kept;
    }

    void isKept(boolean now) {
        kept = now;
    }

    /** Returns whether a transaction that is decided has not ended everywhere. */
    synchronized boolean isEnding() {
        return state == State.COMMITTING
                || state == State.ABORTING
                || !pending.unmarked().isEmpty();
    }

    /** Returns whether nothing of it is open or left to do. */
    synchronized boolean isIdle() {
        return open == null && pending.isEmpty();
    }

    synchronized JournalEntry entry() {
        // What an unnamed one has open ends with the process, and no entry may say otherwise.
        boolean isOpen = open != null && isNamed() && !open.endsWithProcess();
        // A crash fences what ends with the process: its batches have the epoch before.
        boolean isFenced = open != null && isNamed() && open.endsWithProcess();
        if (open != null) {
            open.onEntry(isOpen);
        }
        return new JournalEntry(
                identities.now().id(),
                identities.now().epoch() + (isFenced ? 1 : 0),
                timeoutMs,
                lastUsedMs,
                open != null && !isOpen ? State.EMPTY : state,
                identities.endedId(),
                identities.endedEpoch(),
                pending.markers(),
                pending.commits(),
                isOpen ? open.commits() : List.of());
    }

    /**
     * Returns what makes cursor commits durable that were added to the open transaction last, if
     * that is less than an entry by far.
     *
     * @param enough the size of an entry that is written without regard to its size
     * @return null if an entry has to be written
     */
    synchronized AddedCommits added(List<CursorCommit> commits, int enough) {
        return open != null
                        && open.isInJournal()
                        && mostBytes() > enough
                        && commits.stream().noneMatch(CursorCommit::isOutside)
                ? new AddedCommits(identities.now().id(), identities.now().epoch(), commits)
                : null;
    }

    /** Called when the entry that was made last is durable. */
    synchronized void onEntryWritten(long offset) {
        entryOffset = offset;
        if (open != null) {
            open.onEntryWritten();
        }
    }

    long entryOffset() {
        return entryOffset;
    }

    void entryOffset(long offset) {
        entryOffset = offset;
    }
}
