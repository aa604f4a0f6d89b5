package io.firn.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MoveMapTest {
    private static Move move(int partition, long offset, String note) {
        return new Move(new UUID(1, 2), "reader", partition, offset, JournalEntry.SELF, note);
    }

    @Test
    void shouldBeAsBeforeWhenAnAdditionIsUndone() {
        MoveMap moves = new MoveMap();
        moves.addAll(List.of(move(0, 7, null), move(1, 8, "a note"), move(2, 9, null)));
        List<Move> before = moves.all();
        long bytes = moves.mostBytes();
        Runnable undo =
                moves.addAll(
                        List.of(
                                move(1, 18, null),
                                move(3, 1, "new"), // twice in one place
                                move(3, 2, null),
                                move(1, 19, "a longer note"),
                                move(0, 17, null)));
        assertEquals(4, moves.all().size());
        undo.run();
        assertEquals(before, moves.all());
        assertEquals(bytes, moves.mostBytes());
    }
}
