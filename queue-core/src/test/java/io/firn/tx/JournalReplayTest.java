package io.firn.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.Transaction.State;
import io.firn.tx.CursorCommit.Place;
import io.firn.tx.JournalEntry.AddedCommits;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JournalReplayTest {
    private static final UUID TOPIC = new UUID(1, -2);

    private final JournalReplay replay = new JournalReplay();
    private long offset;

    private static CursorCommit commit(String cursor, String note) {
        return new CursorCommit(
                new Place(TOPIC, cursor, 5), 1L << 33, false, JournalEntry.SELF, note);
    }

    private void entry(State state, int epoch, CursorCommit... open) throws IOException {
        JournalEntry entry =
                new JournalEntry(
                        7, epoch, 60_000, 0, state, -1, -1, List.of(), List.of(), List.of(open));
        replay.take("np", entry.encode(), offset++);
    }

    private void added(int epoch, CursorCommit... commits) throws IOException {
        replay.take("np", new AddedCommits(7, epoch, List.of(commits)).encode(), offset++);
    }

    private List<String> open() throws IOException {
        return replay.end().get("np").openCommits().stream().map(CursorCommit::cursor).toList();
    }

    @Test
    void shouldReadWhatItHasWritten() throws IOException {
        List<CursorCommit> commits =
                List.of(commit("a", null), commit("b", ""), commit("c", "note \ud83d\ude00"));
        AddedCommits written = new AddedCommits(1L << 40, 32_767, commits);
        byte[] bytes = written.encode();
        List<CursorCommit> read =
                commits.stream().map(each -> each.decided(9)).toList(); // as those of an entry
        assertEquals(
                new AddedCommits(written.id(), written.epoch(), read),
                AddedCommits.decode(bytes, 9));
    }

    @Test
    void shouldAddMovesToTheLastEntryInTheirOrder() throws IOException {
        entry(State.ONGOING, 0, commit("a", null));
        added(0, commit("b", null), commit("c", null));
        added(0, commit("d", "note"));
        assertEquals(List.of("a", "b", "c", "d"), open());
        assertEquals(0, replay.end().get("np").offset());
    }

    @Test
    void shouldForgetWhatWasAddedToAnEarlierEntry() throws IOException {
        entry(State.ONGOING, 0, commit("a", null));
        added(0, commit("b", null));
        entry(State.ABORTED, 0);
        entry(State.ONGOING, 0, commit("c", null));
        added(0, commit("d", null));
        assertEquals(List.of("c", "d"), open());
    }

    @Test
    void shouldTakeMovesWhoseEntryWasDroppedIfThereIsALaterOne() throws IOException {
        added(0, commit("b", null));
        entry(State.ONGOING, 0, commit("a", null), commit("b", null));
        assertEquals(List.of("a", "b"), open());
    }

    @Test
    void shouldTakeMovesOfAProducerThatWasForgottenSince() throws IOException {
        added(0, commit("b", null));
        replay.take("np", null, offset++);
        assertEquals(0, replay.end().size());
    }

    @Test
    void shouldNotOpenAJournalThatLacksAnEntry() throws IOException {
        added(0, commit("b", null));
        assertThrows(IOException.class, replay::end);
    }

    @Test
    void shouldNotAddMovesToAnotherTransaction() throws IOException {
        entry(State.ONGOING, 0, commit("a", null));
        assertThrows(IOException.class, () -> added(1, commit("b", null)));
        entry(State.COMMITTED, 0);
        assertThrows(IOException.class, () -> added(0, commit("b", null)));
    }

    @Test
    void shouldRefuseANewerVersion() {
        assertThrows(IOException.class, () -> replay.take("np", new byte[] {4, 0, 0}, 0));
    }
}
