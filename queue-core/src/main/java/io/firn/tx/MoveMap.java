package io.firn.tx;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Moves, of which the last one of each cursor in each partition counts. Not thread-safe. */
final class MoveMap {
    private final Map<Place, Move> moves = new LinkedHashMap<>();

    /** What a move changes. */
    private record Place(UUID topicId, String cursor, int partition) {
        static Place of(Move move) {
            return new Place(move.topicId(), move.cursor(), move.partition());
        }
    }

    /** Adds a move; the one before of the same cursor in the same partition is forgotten. */
    void add(Move move) {
        moves.put(Place.of(move), move);
    }

    void clear() {
        moves.clear();
    }

    List<Move> all() {
        return List.copyOf(moves.values());
    }

    boolean isEmpty() {
        return moves.isEmpty();
    }

    boolean has(UUID topicId, String cursor, int partition) {
        return !moves.isEmpty() && moves.containsKey(new Place(topicId, cursor, partition));
    }

    /** Replaces each move by another one of the same place. */
    void replaceAll(UnaryOperator<Move> by) {
        moves.replaceAll((place, move) -> by.apply(move));
    }

    /** Forgets moves, unless there are others in their places. */
    void removeAll(Collection<Move> gone) {
        Set<Move> found = gone instanceof Set<Move> set ? set : new HashSet<>(gone);
        moves.values().removeIf(found::contains);
    }

    /** Returns whether it moves a cursor, in whatever partition. */
    boolean hasCursor(UUID topicId, String cursor) {
        return moves.values().stream().anyMatch(move -> move.isOf(topicId, cursor));
    }

    /** Forgets the moves of a cursor; returns whether there were any. */
    boolean removeCursor(UUID topicId, String cursor) {
        return moves.values().removeIf(move -> move.isOf(topicId, cursor));
    }
}
