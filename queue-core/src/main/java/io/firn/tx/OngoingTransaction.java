package io.firn.tx;

import io.firn.Partition;
import io.firn.StoreMetrics;
import io.firn.Transaction;
import io.firn.log.SegmentedLog;
import java.time.Instant;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.ObjLongConsumer;

/** An open transaction of a producer. For the holder of the producer's monitor. */
final class OngoingTransaction {
    private static final long NOT_KNOWN = -1;

    /** Partitions: most transactions have no more. */
    private static final int FEW = 2;

    private final long startMs;
    private final long startNs;

    /** Its partitions, each with the offset where its batches end once it is closed. */
    private final Map<TxPartition, Long> members = new LinkedHashMap<>(FEW);

    private final Map<SegmentedLog, TxPartition> byLog = new IdentityHashMap<>(FEW);
    private final CursorCommits commits = new CursorCommits();
    private boolean closed;
    private boolean abandoned;
    private boolean endsWithProcess;

    /** Whether the entry of its producer that was made last has it. */
    private boolean isInEntry;

    private boolean isInJournal;

    OngoingTransaction(long startMs, long startNs) {
        this.startMs = startMs;
        this.startNs = startNs;
    }

    long startMs() {
        return startMs;
    }

    boolean isOpenLongerThan(long timeoutNs, long nowNs) {
        return !closed && nowNs - startNs > timeoutNs;
    }

    /** Takes no more batches, although it is not decided. */
    void close() {
        closed = true;
    }

    /** Called when nothing of a decision was written: takes batches again, unless abandoned. */
    void reopen() {
        closed = abandoned;
    }

    /** Has no owner any more: all that can become of it is an abort. */
    void abandon() {
        abandoned = true;
        closed = true;
    }

    boolean isAbandoned() {
        return abandoned;
    }

    boolean isClosed() {
        return closed;
    }

    void add(TxPartition partition) {
        members.putIfAbsent(partition, NOT_KNOWN);
        byLog.put(partition.log(), partition);
    }

    boolean has(TxPartition partition) {
        return members.containsKey(partition);
    }

    /** Returns the member with a log; null when there is none. */
    TxPartition member(SegmentedLog log) {
        return byLog.get(log);
    }

    void endsAt(TxPartition partition, long end) {
        members.put(partition, end);
    }

    List<TxPartition> members() {
        return List.copyOf(members.keySet());
    }

    void forEach(ObjLongConsumer<TxPartition> action) {
        members.forEach(action::accept);
    }

    /** Has things that are in memory only, so a crash ends it whatever its producer's name. */
    void endWithProcess() {
        endsWithProcess = true;
    }

    boolean endsWithProcess() {
        return endsWithProcess;
    }

    /** Called when an entry of its producer is made, with its cursor commits or without. */
    void onEntry(boolean isInIt) {
        isInEntry = isInIt;
    }

    /** Called when the last one is durable; it may have been made before this was begun. */
    void onEntryWritten() {
        isInJournal = isInEntry;
    }

    /** Returns whether the last entry in the journal has its commits, so that more can be added. */
    boolean isInJournal() {
        return isInJournal;
    }

    /** Adds cursor commits; returns what undoes that. */
    Runnable addCommits(List<CursorCommit> more) {
        return commits.addAll(more);
    }

    /** Returns how many bytes it adds to the entry of its decision, at most. */
    long mostBytes() {
        return JournalEntry.mostBytes(members.size(), commits.mostBytes());
    }

    List<CursorCommit> commits() {
        return commits.all();
    }

    /**
     * Returns how many bytes commits would add to {@link #mostBytes}; below 0 if they save some.
     */
    long moreBytes(List<CursorCommit> more) {
        return commits.moreBytes(more);
    }

    boolean hasCommits() {
        return !commits.isEmpty();
    }

    /** Returns whether it commits a cursor in a partition. */
    boolean hasCommitOf(UUID topicId, String cursor, int partition) {
        return commits.has(topicId, cursor, partition);
    }

    boolean isEmpty() {
        return members.isEmpty() && commits.isEmpty();
    }

    /**
     * What is shown of a transaction that readers of committed records wait for; named as what it
     * implements, since its text begins with the name.
     */
    record TransactionMetrics(
            Optional<String> producer,
            long producerId,
            int producerEpoch,
            Transaction.State state,
            Optional<Instant> startTime,
            List<Partition> partitions)
            implements StoreMetrics.TransactionMetrics {}
}
