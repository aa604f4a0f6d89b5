package io.firn.tx;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a producer's decisions still have to do, as far as is known: partitions without a durable
 * marker, and moves that no cursor's file contains. For the holder of the producer's monitor.
 */
final class Undone {
    private final List<Unmarked> endings = new ArrayList<>();
    private final List<Move> moves = new ArrayList<>();

    Undone() {}

    Undone(Undone other) {
        endings.addAll(other.endings);
        moves.addAll(other.moves);
    }

    void add(Unmarked unmarked) {
        endings.add(unmarked);
    }

    void addAll(List<Move> more) {
        moves.addAll(more);
    }

    /** Returns whether an earlier transaction of the producer has no marker in a partition yet. */
    boolean isUnmarked(TxPartition partition) {
        return endings.stream().anyMatch(each -> !each.isMarked() && each.ending().isIn(partition));
    }

    /** Adds the end of a transaction in all of its partitions, and its moves by a commit. */
    void end(Opened open, boolean isCommit, long producerId, int epoch) {
        open.forEach((partition, end) -> end(partition, isCommit, producerId, epoch, end));
        if (isCommit) {
            open.moves().forEach(this::move);
        }
    }

    private void end(
            TxPartition partition, boolean isCommit, long producerId, int epoch, long end) {
        if (isUnmarked(partition)) {
            return; // until it is marked, it takes no batch of another transaction
        }
        endings.removeIf(each -> each.ending().isIn(partition));
        Ending ending =
                new Ending(
                        partition.topicId(), partition.index(), isCommit, producerId, epoch, end);
        endings.add(new Unmarked(ending, partition));
    }

    private void move(Move move) {
        moves.removeIf(move::isOfSame);
        moves.add(move.decided(JournalEntry.SELF));
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
        return List.copyOf(moves);
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
