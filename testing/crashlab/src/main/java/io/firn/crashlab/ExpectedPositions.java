package io.firn.crashlab;

import static io.firn.crashlab.Violation.require;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Where a cursor may be in one partition, in the order in which it was moved. */
final class ExpectedPositions {
    private static final int PLAIN = 0;

    /**
     * A position.
     *
     * @param by the transaction that moves the cursor, or {@link #PLAIN}
     * @param isSure whether it is promised that the move is not lost
     */
    private record Position(long offset, int by, boolean isSure) {}

    private final List<Position> all = new ArrayList<>(List.of(new Position(-1, PLAIN, true)));

    /** Goes on from a position that is known. */
    void reset(long offset) {
        all.clear();
        all.add(new Position(offset, PLAIN, true));
    }

    /** Notes a plain move. */
    void moves(long offset) {
        all.add(new Position(offset, PLAIN, false));
    }

    /** Notes that a transaction which moves the cursor is about to commit. */
    void movesBy(int transaction, long offset) {
        all.add(new Position(offset, transaction, false));
    }

    /** Notes that the last move will not be lost. */
    void isSure() {
        Position last = all.remove(all.size() - 1);
        all.clear();
        all.add(new Position(last.offset, last.by, true));
    }

    /** Notes that the last move did not happen. */
    void isNot() {
        all.remove(all.size() - 1);
    }

    /** Returns the position that was set last. */
    long last() {
        return all.get(all.size() - 1).offset;
    }

    /**
     * Checks a position that was found.
     *
     * @param isFound whether a transaction was committed; null when that cannot be told
     */
    void check(long offset, IntFunction<Boolean> isFound) {
        List<Position> possible = new ArrayList<>();
        for (Position each : all) {
            Boolean is = (each.by == PLAIN || each.isSure) ? null : isFound.apply(each.by);
            if (each.isSure || Boolean.TRUE.equals(is)) {
                possible.clear();
            }
            if (!Boolean.FALSE.equals(is)) {
                possible.add(each);
            }
        }
        require(
                possible.stream().anyMatch(each -> each.offset == offset),
                "the cursor is at " + offset + ", not at one of " + possible);
    }
}
