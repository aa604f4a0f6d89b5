package io.firn.tx;

import io.firn.tx.CursorCommit.Place;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * Commits of cursors, of which the last one of each cursor in each partition counts. Not
 * thread-safe.
 */
final class CursorCommits {
    private static final long NOT_COUNTED = -1;

    private final Map<Place, CursorCommit> commits = new LinkedHashMap<>();

    /** What they take in the journal; counted again only after other changes than additions. */
    private long bytes;

    /**
     * Adds a commit.
     *
     * @return the one of the same cursor in the same partition that it replaces; null for none
     */
    CursorCommit add(CursorCommit commit) {
        CursorCommit before = commits.put(commit.place(), commit);
        if (bytes != NOT_COUNTED) {
            bytes += JournalEntry.mostBytes(commit);
            bytes -= before == null ? 0 : JournalEntry.mostBytes(before);
        }
        return before;
    }

    /**
     * Adds commits.
     *
     * @return what undoes that, as long as nothing else was changed; its cost is that of these
     *     commits, however many there are
     */
    Runnable addAll(List<CursorCommit> more) {
        Map<Place, CursorCommit> replaced = new HashMap<>(); // null where there was none
        for (CursorCommit each : more) {
            CursorCommit before = add(each);
            if (!replaced.containsKey(each.place())) { // else it is one of these
                replaced.put(each.place(), before);
            }
        }
        return () -> {
            replaced.forEach(
                    (place, before) -> {
                        if (before == null) {
                            commits.remove(place);
                        } else {
                            commits.put(place, before);
                        }
                    });
            bytes = NOT_COUNTED;
        };
    }

    void clear() {
        commits.clear();
        bytes = 0;
    }

    /** Returns how many bytes they take in an entry of the journal, at most. */
    long mostBytes() {
        if (bytes == NOT_COUNTED) {
            bytes = 0;
            commits.forEach((place, commit) -> bytes += JournalEntry.mostBytes(commit));
        }
        return bytes;
    }

    /**
     * Returns how many bytes commits would add to {@link #mostBytes}; below 0 if they save some. A
     * commit in the place of another one may well add some, as its note may be longer.
     */
    long moreBytes(Collection<CursorCommit> more) {
        Map<Place, CursorCommit> last = new HashMap<>();
        more.forEach(commit -> last.put(commit.place(), commit));
        long sum = 0;
        for (Map.Entry<Place, CursorCommit> each : last.entrySet()) {
            CursorCommit before = commits.get(each.getKey());
            sum += JournalEntry.mostBytes(each.getValue());
            sum -= before == null ? 0 : JournalEntry.mostBytes(before);
        }
        return sum;
    }

    List<CursorCommit> all() {
        return commits.isEmpty() ? List.of() : List.copyOf(commits.values());
    }

    boolean isEmpty() {
        return commits.isEmpty();
    }

    boolean has(UUID topicId, String cursor, int partition) {
        return !commits.isEmpty() && commits.containsKey(new Place(topicId, cursor, partition));
    }

    /** Replaces each commit by another one of the same place. */
    void replaceAll(UnaryOperator<CursorCommit> by) {
        commits.replaceAll((place, commit) -> by.apply(commit));
        bytes = NOT_COUNTED;
    }

    /** Forgets commits, unless there are others in their places. */
    void removeAll(Collection<CursorCommit> gone) {
        if (gone.isEmpty()) {
            return;
        }
        Set<CursorCommit> found = gone instanceof Set<CursorCommit> set ? set : new HashSet<>(gone);
        commits.values().removeIf(found::contains);
        bytes = NOT_COUNTED;
    }

    /** Returns whether one is of a cursor, in whatever partition. */
    boolean hasCursor(UUID topicId, String cursor) {
        return commits.values().stream().anyMatch(commit -> commit.isOf(topicId, cursor));
    }

    /** Forgets the commits of a cursor; returns whether there were any. */
    boolean removeCursor(UUID topicId, String cursor) {
        bytes = NOT_COUNTED;
        return commits.values().removeIf(commit -> commit.isOf(topicId, cursor));
    }
}
