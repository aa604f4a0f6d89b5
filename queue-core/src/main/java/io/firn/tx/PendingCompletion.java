package io.firn.tx;

import io.firn.host.TransactionCoordinator.CursorMove;
import io.firn.tx.JournalEntry.MarkerToWrite;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What a producer's decisions still have to do, as far as is known: partitions without a durable
 * marker, and cursor commits that no cursor's file contains. Thread-safe.
 */
final class PendingCompletion {
    private final List<PendingMarker> markers = new ArrayList<>();
    private final CursorCommits commits = new CursorCommits();

    /** Those of the endings that had no marker when that was looked at last. */
    private final List<PendingMarker> unmarked = new ArrayList<>();

    /** Returns what undoes later changes. */
    synchronized Runnable memory() {
        List<PendingMarker> markersBefore = List.copyOf(markers);
        List<CursorCommit> commitsBefore = commits.all();
        List<PendingMarker> unmarkedBefore = List.copyOf(unmarked);
        return () -> {
            synchronized (this) {
                markers.clear();
                markers.addAll(markersBefore);
                commits.clear();
                addAll(commitsBefore);
                unmarked.clear();
                unmarked.addAll(unmarkedBefore);
            }
        };
    }

    synchronized void add(PendingMarker added) {
        markers.add(added);
        unmarked.add(added);
    }

    synchronized void addAll(List<CursorCommit> more) {
        more.forEach(commits::add);
    }

    /** Returns whether an earlier transaction of the producer has no marker in a partition yet. */
    synchronized boolean lacksMarker(TxPartition partition) {
        if (unmarked.isEmpty()) {
            return false; // asked before each append
        }
        return unmarked().stream().anyMatch(each -> each.partition().equals(partition));
    }

    /**
     * Adds the end of a transaction in all of its partitions, and its cursor commits if it commits.
     *
     * <p>An earlier decision that says the same of a partition is superseded. One that says
     * something else stays until its marker is durable: if the power is cut before, its transaction
     * is found open, and must not end as the later one did. They are never many, since a commit
     * makes the markers before it durable.
     */
    synchronized void end(OngoingTransaction open, boolean isCommit, long producerId, int epoch) {
        Set<TxPartition> without = new HashSet<>();
        unmarked().forEach(each -> without.add(each.partition()));
        markers.removeIf(
                each ->
                        each.isDone()
                                || (each.isMarked()
                                        && open.has(each.partition())
                                        && each.toWrite().isAlike(isCommit, producerId)));
        open.forEach(
                (partition, end) -> {
                    if (!without.contains(partition)) { // else it took no batch of this one
                        add(
                                new PendingMarker(
                                        new MarkerToWrite(
                                                partition.topicId(),
                                                partition.index(),
                                                isCommit,
                                                producerId,
                                                epoch,
                                                end),
                                        partition));
                    }
                });
        if (isCommit) {
            open.commits().forEach(commit -> commits.add(commit.decided(JournalEntry.SELF)));
        }
    }

    /** Gives cursor commits of the last decision its number. */
    synchronized void decided(long number) {
        commits.replaceAll(
                commit -> commit.decision() == JournalEntry.SELF ? commit.decided(number) : commit);
    }

    synchronized List<PendingMarker> unmarked() {
        unmarked.removeIf(PendingMarker::isMarked);
        return List.copyOf(unmarked);
    }

    synchronized List<MarkerToWrite> markers() {
        return markers.stream().map(PendingMarker::toWrite).toList();
    }

    synchronized List<CursorCommit> commits() {
        return commits.all();
    }

    /** Returns whether a decision that the journal still has sets a cursor. */
    synchronized boolean commits(UUID topicId, String cursor) {
        return commits.hasCursor(topicId, cursor);
    }

    /** Forgets notes that others keep. */
    synchronized void forgetNotes(Set<CursorMove> kept) {
        Set<Kept> places = new HashSet<>();
        kept.forEach(each -> places.add(Kept.of(each)));
        commits.replaceAll(
                commit ->
                        commit.isNoteLeft() && places.contains(Kept.of(commit))
                                ? commit.withoutNote()
                                : commit);
    }

    /** What tells notes apart. */
    private record Kept(UUID topicId, String cursor, int partition, long offset, String note) {
        static Kept of(CursorMove commit) {
            return new Kept(
                    commit.topic().id(),
                    commit.cursor(),
                    commit.partition(),
                    commit.offset(),
                    commit.note());
        }

        static Kept of(CursorCommit commit) {
            return new Kept(
                    commit.topicId(),
                    commit.cursor(),
                    commit.partition(),
                    commit.offset(),
                    commit.note());
        }
    }

    /** Forgets commits of a cursor that was deleted; returns whether there were any. */
    synchronized boolean forgetCommits(UUID topicId, String cursor) {
        return commits.removeCursor(topicId, cursor);
    }

    /** Returns the bytes of what an entry cannot leave out, however long it is waited for. */
    synchronized long mostBytesLeft() {
        return JournalEntry.mostBytes(unmarked().size(), commits.mostBytes());
    }

    synchronized boolean isEmpty() {
        return markers.isEmpty() && commits.isEmpty();
    }

    /** Waits until the markers that were appended are durable, so that they can be forgotten. */
    void makeMarkersDurable() {
        List<PendingMarker> all;
        synchronized (this) {
            all = List.copyOf(markers);
        }
        all.forEach(PendingMarker::makeDurable);
    }

    /**
     * Forgets what is durable everywhere (O12, step 6); the files of cursors may have to be read.
     * The caller holds the lock of the producer.
     */
    void prune(TxStore store) {
        List<CursorCommit> all = commits();
        if (all.isEmpty()) {
            prune(Set.of());
            return;
        }
        Set<CursorCommit> persisted = new HashSet<>();
        for (CursorCommit commit : all) {
            if (commit.decision() != JournalEntry.SELF
                    && (!commit.isNoteLeft() || isGone(commit, store))
                    && store.isPersisted(commit)) {
                persisted.add(commit);
            }
        }
        prune(persisted);
    }

    private static boolean isGone(CursorCommit commit, TxStore store) {
        return store.partition(commit.topicId(), commit.partition()) == null;
    }

    private synchronized void prune(Set<CursorCommit> persisted) {
        markers.removeIf(PendingMarker::isDone);
        commits.removeAll(persisted);
    }

    /** A partition that has no durable marker of a decision, as far as is known. */
    static final class PendingMarker {
        private static final long NOT_YET = -1;

        private final MarkerToWrite toWrite;
        private final TxPartition partition;

        /** The offset after the marker. */
        private volatile long markedTo = NOT_YET;

        PendingMarker(MarkerToWrite toWrite, TxPartition partition) {
            this.toWrite = toWrite;
            this.partition = partition;
        }

        MarkerToWrite toWrite() {
            return toWrite;
        }

        TxPartition partition() {
            return partition;
        }

        /** Returns whether it has its marker, durable or not, or needs none any more. */
        boolean isMarked() {
            return markedTo != NOT_YET || partition.log().state().isGone();
        }

        /** Notes the offset after the marker. */
        void marked(long to) {
            markedTo = to;
        }

        /** Waits until its marker is durable, if it has one. */
        void makeDurable() {
            if (markedTo != NOT_YET && !isDone()) {
                partition.forcer().awaitDurable(markedTo);
            }
        }

        /** Returns whether its marker is durable, or it needs none any more. */
        boolean isDone() {
            return isMarked()
                    && (partition.log().state().isGone()
                            || partition.log().durableOffset() >= markedTo);
        }
    }
}
