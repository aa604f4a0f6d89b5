package io.firn.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.Transaction.State;
import io.firn.tx.CursorCommit.Place;
import io.firn.tx.JournalEntry.MarkerToWrite;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JournalEntryTest {
    private static final UUID TOPIC = new UUID(1, -2);

    private static JournalEntry entry(CursorCommit commit, CursorCommit open) {
        MarkerToWrite toWrite = new MarkerToWrite(TOPIC, 7, true, 1L << 40, 3, 99);
        return new JournalEntry(
                1L << 40,
                32_767,
                60_000,
                1_700_000_000_000L,
                State.ONGOING,
                -1,
                -1,
                List.of(toWrite),
                List.of(commit),
                List.of(open));
    }

    private static CursorCommit commit(String cursor, String note) {
        return new CursorCommit(new Place(TOPIC, cursor, 5), 1L << 33, false, 12, note);
    }

    @Test
    void shouldReadWhatItHasWritten() throws IOException {
        for (String name : List.of("group", "gruppe-\u00e4", "\u0000", "\ud83d\ude00 \u4e00")) {
            for (String note : new String[] {null, "", "note \ud83d\ude00", "x".repeat(70_000)}) {
                JournalEntry written = entry(commit(name, note), commit(name, null));
                assertEquals(written, JournalEntry.decode(written.encode(), 100));
            }
        }
    }

    @Test
    void shouldWriteANewVersionOnlyWithANote() throws IOException {
        byte[] plain = entry(commit("g", null), commit("g", null)).encode();
        assertEquals(1, plain[0]);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(plain))) {
            in.skipNBytes(34 + 4 + 39 + 4 + 16);
            assertEquals("g", in.readUTF());
        }
        assertEquals(2, entry(commit("g", null), commit("g", "")).encode()[0]);
        byte[] newer = plain.clone();
        newer[0] = 5;
        assertThrows(IOException.class, () -> JournalEntry.decode(newer, 0));
    }

    @Test
    void shouldWriteTheNewestVersionOnlyWithAnOffsetOutsideTheLog() throws IOException {
        CursorCommit outside =
                new CursorCommit(new Place(TOPIC, "g", 5), Long.MIN_VALUE, true, 12, "note");
        for (JournalEntry written :
                List.of(
                        entry(outside, commit("g", null)),
                        entry(commit("g", ""), outside),
                        entry(outside, outside.withoutNote()))) {
            byte[] bytes = written.encode();
            assertEquals(4, bytes[0]);
            assertEquals(written, JournalEntry.decode(bytes, 100));
        }
    }

    @Test
    void shouldNumberADecisionByTheEntryThatSaysItFirst() throws IOException {
        CursorCommit self =
                new CursorCommit(new Place(TOPIC, "g", 5), 8, false, JournalEntry.SELF, null);
        JournalEntry read = JournalEntry.decode(entry(self, commit("g", null)).encode(), 100);
        assertEquals(100, read.commits().get(0).decision());
    }
}
