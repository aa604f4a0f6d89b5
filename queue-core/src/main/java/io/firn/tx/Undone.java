package io.firn.tx;

import io.firn.TransactionCoordinator.CursorMove;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What a producer's decisions still have to do, as far as is known: partitions without a durable
 * marker, and moves that no cursor's file contains. For the holder of the producer's monitor.
 */
final class Undone {
    private final List<Unmarked> endings = new ArrayList<>();
    private final MoveMap moves = new MoveMap();
    private boolean mayBeUnmarked;

    Undone() {}

    Undone(Undone other) {
        endings.addAll(other.endings);
        moves.addAll(other.moves);
        mayBeUnmarked = other.mayBeUnmarked;
    }

    void add(Unmarked unmarked) {
        endings.add(unmarked);
        mayBeUnmarked = true;
    }

    void addAll(List<Move> more) {
        more.forEach(moves::add);
    }

    /** Returns whether an earlier transaction of the producer has no marker in a partition yet. */
    boolean isUnmarked(TxPartition partition) {
        if (!mayBeUnmarked) {
            return false; // asked before each append
        }
        List<Unmarked> unmarked = unmarked();
        mayBeUnmarked = !unmarked.isEmpty();
        return unmarked.stream().anyMatch(each -> each.partition().equals(partition));
    }

    /**
     * Adds the end of a transaction in all of its partitions, and its moves by a commit.
     *
     * <p>An earlier decision that says the same of a partition is superseded. One that says
     * something else stays until its marker is durable: if the power is cut before, its transaction
     * is found open, and must not end as the later one did. They are never many, since a commit
     * makes the markers before it durable.
     */
    void end(Opened open, boolean isCommit, long producerId, int epoch) {
        Set<TxPartition> unmarked = new HashSet<>();
        unmarked().forEach(each -> unmarked.add(each.partition()));
        endings.removeIf(
                each ->
                        each.isDone()
                                || (each.isMarked()
                                        && open.has(each.partition())
                                        && each.ending().isAlike(isCommit, producerId)));
        open.forEach(
                (partition, end) -> {
                    if (!unmarked.contains(partition)) { // else it took no batch of this one
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
    void decided(long number) {
        moves.replaceAll(
                move -> move.decision() == JournalEntry.SELF ? move.decided(number) : move);
    }

    List<Unmarked> unmarked() {
        return endings.stream().filter(each -> !each.isMarked()).toList();
    }

    List<Ending> endings() {
        return endings.stream().map(Unmarked::ending).toList();
    }

    List<Move> moves() {
        return moves.all();
    }

    /** Returns whether a decision that the journal still has moves a cursor. */
    boolean moves(UUID topicId, String cursor) {
        return moves.hasCursor(topicId, cursor);
    }

    /** Forgets notes that others keep. */
    void forgetNotes(Set<CursorMove> kept) {
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
    boolean forgetMoves(UUID topicId, String cursor) {
        return moves.removeCursor(topicId, cursor);
    }

    boolean isNothing() {
        return endings.isEmpty() && moves.isEmpty();
    }

    /** Forgets what is durable everywhere. */
    void prune(Set<Move> persisted) {
        endings.removeIf(Unmarked::isDone);
        moves.removeAll(persisted);
    }
}
