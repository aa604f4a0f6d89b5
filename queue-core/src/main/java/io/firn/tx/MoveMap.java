package io.firn.tx;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Moves, of which the last one of each cursor in each partition counts. Not thread-safe. */
final class MoveMap {
    private static final long NOT_COUNTED = -1;

    private final Map<Place, Move> moves = new LinkedHashMap<>();

    /** What they take in the journal; counted again only after other changes than additions. */
    private long bytes;

    /** What a move changes. */
    private record Place(UUID topicId, String cursor, int partition) {
        static Place of(Move move) {
            return new Place(move.topicId(), move.cursor(), move.partition());
        }
    }

    /**
     * Adds a move.
     *
     * @return the one of the same cursor in the same partition that it replaces; null for none
     */
    Move add(Move move) {
        Move before = moves.put(Place.of(move), move);
        if (bytes != NOT_COUNTED) {
            bytes += JournalEntry.mostBytes(move);
            bytes -= before == null ? 0 : JournalEntry.mostBytes(before);
        }
        return before;
    }

    /**
     * Adds moves.
     *
     * @return what undoes that, as long as nothing else was changed; its cost is that of these
     *     moves, however many there are
     */
    Runnable addAll(List<Move> more) {
        Map<Place, Move> replaced = new HashMap<>(); // null where there was none
        for (Move each : more) {
            Move before = add(each);
            if (!replaced.containsKey(Place.of(each))) { // else it is one of these
                replaced.put(Place.of(each), before);
            }
        }
        return () -> {
            replaced.forEach(
                    (place, before) -> {
                        if (before == null) {
                            moves.remove(place);
                        } else {
                            moves.put(place, before);
                        }
                    });
            bytes = NOT_COUNTED;
        };
    }

    void clear() {
        moves.clear();
        bytes = 0;
    }

    /** Returns how many bytes they take in an entry of the journal, at most. */
    long mostBytes() {
        if (bytes == NOT_COUNTED) {
            bytes = moves.values().stream().mapToLong(JournalEntry::mostBytes).sum();
        }
        return bytes;
    }

    /**
     * Returns how many bytes moves would add to {@link #mostBytes}; below 0 if they save some. A
     * move in the place of another one may well add some, as its note may be longer.
     */
    long moreBytes(Collection<Move> more) {
        Map<Place, Move> last = new HashMap<>();
        more.forEach(move -> last.put(Place.of(move), move));
        long sum = 0;
        for (Map.Entry<Place, Move> each : last.entrySet()) {
            Move before = moves.get(each.getKey());
            sum += JournalEntry.mostBytes(each.getValue());
            sum -= before == null ? 0 : JournalEntry.mostBytes(before);
        }
        return sum;
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
        bytes = NOT_COUNTED;
    }

    /** Forgets moves, unless there are others in their places. */
    void removeAll(Collection<Move> gone) {
        Set<Move> found = gone instanceof Set<Move> set ? set : new HashSet<>(gone);
        moves.values().removeIf(found::contains);
        bytes = NOT_COUNTED;
    }

    /** Returns whether it moves a cursor, in whatever partition. */
    boolean hasCursor(UUID topicId, String cursor) {
        return moves.values().stream().anyMatch(move -> move.isOf(topicId, cursor));
    }

    /** Forgets the moves of a cursor; returns whether there were any. */
    boolean removeCursor(UUID topicId, String cursor) {
        bytes = NOT_COUNTED;
        return moves.values().removeIf(move -> move.isOf(topicId, cursor));
    }
}
