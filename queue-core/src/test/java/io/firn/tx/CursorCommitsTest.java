package io.firn.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.tx.CursorCommit.Place;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CursorCommitsTest {
    private static CursorCommit commit(int partition, long offset, String note) {
        return new CursorCommit(
                new Place(new UUID(1, 2), "reader", partition),
                offset,
                false,
                JournalEntry.SELF,
                note);
    }

    @Test
    void shouldBeAsBeforeWhenAnAdditionIsUndone() {
        CursorCommits commits = new CursorCommits();
        commits.addAll(List.of(commit(0, 7, null), commit(1, 8, "a note"), commit(2, 9, null)));
        List<CursorCommit> before = commits.all();
        long bytes = commits.mostBytes();
        Runnable undo =
                commits.addAll(
                        List.of(
                                commit(1, 18, null),
                                commit(3, 1, "new"), // twice in one place
                                commit(3, 2, null),
                                commit(1, 19, "a longer note"),
                                commit(0, 17, null)));
        assertEquals(4, commits.all().size());
        undo.run();
        assertEquals(before, commits.all());
        assertEquals(bytes, commits.mostBytes());
    }
}
