package io.firn.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.Transaction.State;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JournalReplayTest {
    private static final UUID TOPIC = new UUID(1, -2);

    private final JournalReplay replay = new JournalReplay();
    private long offset;

    private static Move move(String cursor, String note) {
        return new Move(TOPIC, cursor, 5, 1L << 33, JournalEntry.SELF, note);
    }

    private void entry(State state, int epoch, Move... open) throws IOException {
        JournalEntry entry =
                new JournalEntry(
                        7, epoch, 60_000, 0, state, -1, -1, List.of(), List.of(), List.of(open));
        replay.take("np", entry.encode(), offset++);
    }

    private void added(int epoch, Move... moves) throws IOException {
        replay.take("np", new AddedMoves(7, epoch, List.of(moves)).encode(), offset++);
    }

    private List<String> open() throws IOException {
        return replay.end().get("np").openMoves().stream().map(Move::cursor).toList();
    }

    @Test
    void shouldReadWhatItHasWritten() throws IOException {
        List<Move> moves = List.of(move("a", null), move("b", ""), move("c", "note \ud83d\ude00"));
        AddedMoves written = new AddedMoves(1L << 40, 32_767, moves);
        byte[] bytes = written.encode();
        List<Move> read =
                moves.stream().map(each -> each.decided(9)).toList(); // as those of an entry
        assertEquals(
                new AddedMoves(written.id(), written.epoch(), read), AddedMoves.decode(bytes, 9));
    }

    @Test
    void shouldAddMovesToTheLastEntryInTheirOrder() throws IOException {
        entry(State.ONGOING, 0, move("a", null));
        added(0, move("b", null), move("c", null));
        added(0, move("d", "note"));
        assertEquals(List.of("a", "b", "c", "d"), open());
        assertEquals(0, replay.end().get("np").offset());
    }

    @Test
    void shouldForgetWhatWasAddedToAnEarlierEntry() throws IOException {
        entry(State.ONGOING, 0, move("a", null));
        added(0, move("b", null));
        entry(State.ABORTED, 0);
        entry(State.ONGOING, 0, move("c", null));
        added(0, move("d", null));
        assertEquals(List.of("c", "d"), open());
    }

    @Test
    void shouldTakeMovesWhoseEntryWasDroppedIfThereIsALaterOne() throws IOException {
        added(0, move("b", null));
        entry(State.ONGOING, 0, move("a", null), move("b", null));
        assertEquals(List.of("a", "b"), open());
    }

    @Test
    void shouldTakeMovesOfAProducerThatWasForgottenSince() throws IOException {
        added(0, move("b", null));
        replay.take("np", null, offset++);
        assertEquals(0, replay.end().size());
    }

    @Test
    void shouldNotOpenAJournalThatLacksAnEntry() throws IOException {
        added(0, move("b", null));
        assertThrows(IOException.class, replay::end);
    }

    @Test
    void shouldNotAddMovesToAnotherTransaction() throws IOException {
        entry(State.ONGOING, 0, move("a", null));
        assertThrows(IOException.class, () -> added(1, move("b", null)));
        entry(State.COMMITTED, 0);
        assertThrows(IOException.class, () -> added(0, move("b", null)));
    }

    @Test
    void shouldRefuseANewerVersion() {
        assertThrows(IOException.class, () -> replay.take("np", new byte[] {4, 0, 0}, 0));
    }
}
