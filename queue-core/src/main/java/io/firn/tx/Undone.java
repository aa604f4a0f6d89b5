package io.firn.tx;

import io.firn.host.TransactionCoordinator.CursorMove;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What a producer's decisions still have to do, as far as is known: partitions without a durable
 * marker, and moves that no cursor's file contains. Thread-safe.
 */
final class Undone {
    private final List<Unmarked> endings = new ArrayList<>();
    private final MoveMap moves = new MoveMap();

    /** Those of the endings that had no marker when that was looked at last. */
    private final List<Unmarked> unmarked = new ArrayList<>();

    /** Returns what undoes later changes. */
    synchronized Runnable memory() {
        List<Unmarked> endingsBefore = List.copyOf(endings);
        List<Move> movesBefore = moves.all();
        List<Unmarked> unmarkedBefore = List.copyOf(unmarked);
        return () -> {
            synchronized (this) {
                endings.clear();
                endings.addAll(endingsBefore);
                moves.clear();
                addAll(movesBefore);
                unmarked.clear();
                unmarked.addAll(unmarkedBefore);
            }
        };
    }

    synchronized void add(Unmarked added) {
        endings.add(added);
        unmarked.add(added);
    }

    synchronized void addAll(List<Move> more) {
        more.forEach(moves::add);
    }

    /** Returns whether an earlier transaction of the producer has no marker in a partition yet. */
    synchronized boolean isUnmarked(TxPartition partition) {
        if (unmarked.isEmpty()) {
            return false; // asked before each append
        }
        return unmarked().stream().anyMatch(each -> each.partition().equals(partition));
    }

    /**
     * Adds the end of a transaction in all of its partitions, and its moves by a commit.
     *
     * <p>An earlier decision that says the same of a partition is superseded. One that says
     * something else stays until its marker is durable: if the power is cut before, its transaction
     * is found open, and must not end as the later one did. They are never many, since a commit
     * makes the markers before it durable.
     */
    synchronized void end(Opened open, boolean isCommit, long producerId, int epoch) {
        Set<TxPartition> without = new HashSet<>();
        unmarked().forEach(each -> without.add(each.partition()));
        endings.removeIf(
                each ->
                        each.isDone()
                                || (each.isMarked()
                                        && open.has(each.partition())
                                        && each.ending().isAlike(isCommit, producerId)));
        open.forEach(
                (partition, end) -> {
                    if (!without.contains(partition)) { // else it took no batch of this one
                        add(
                                new Unmarked(
                                        new Ending(
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
            open.moves().forEach(move -> moves.add(move.decided(JournalEntry.SELF)));
        }
    }

    /** Gives moves by the last decision its number. */
    synchronized void decided(long number) {
        moves.replaceAll(
                move -> move.decision() == JournalEntry.SELF ? move.decided(number) : move);
    }

    synchronized List<Unmarked> unmarked() {
        unmarked.removeIf(Unmarked::isMarked);
        return List.copyOf(unmarked);
    }

    synchronized List<Ending> endings() {
        return endings.stream().map(Unmarked::ending).toList();
    }

    synchronized List<Move> moves() {
        return moves.all();
    }

    /** Returns whether a decision that the journal still has moves a cursor. */
    synchronized boolean moves(UUID topicId, String cursor) {
        return moves.hasCursor(topicId, cursor);
    }

    /** Forgets notes that others keep. */
    synchronized void forgetNotes(Set<CursorMove> kept) {
        Set<Kept> places = new HashSet<>();
        kept.forEach(each -> places.add(Kept.of(each)));
        moves.replaceAll(
                move ->
                        move.isNoteLeft() && places.contains(Kept.of(move))
                                ? move.withoutNote()
                                : move);
    }

    /** What tells notes apart. */
    private record Kept(UUID topicId, String cursor, int partition, long offset, String note) {
        static Kept of(CursorMove move) {
            return new Kept(
                    move.topic().id(), move.cursor(), move.partition(), move.offset(), move.note());
        }

        static Kept of(Move move) {
            return new Kept(
                    move.topicId(), move.cursor(), move.partition(), move.offset(), move.note());
        }
    }

    /** Forgets moves of a cursor that was deleted; returns whether there were any. */
    synchronized boolean forgetMoves(UUID topicId, String cursor) {
        return moves.removeCursor(topicId, cursor);
    }

    /** Returns the bytes of what an entry cannot leave out, however long it is waited for. */
    synchronized long mostBytesLeft() {
        return JournalEntry.mostBytes(unmarked().size(), moves.mostBytes());
    }

    synchronized boolean isNothing() {
        return endings.isEmpty() && moves.isEmpty();
    }

    /** Waits until the markers that were appended are durable, so that they can be forgotten. */
    void makeMarkersDurable() {
        List<Unmarked> all;
        synchronized (this) {
            all = List.copyOf(endings);
        }
        all.forEach(Unmarked::makeDurable);
    }

    /** Forgets what is durable everywhere. */
    synchronized void prune(Set<Move> persisted) {
        endings.removeIf(Unmarked::isDone);
        moves.removeAll(persisted);
    }
}
