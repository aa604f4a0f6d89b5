package io.firn.tx;

import io.firn.InvalidOptionException;
import java.util.UUID;

/**
 * A position that a transaction gives to a cursor.
 *
 * @param isOutside whether a cursor could not have the offset when it was asked for: it is kept
 *     beside the position, however far the log is then
 * @param note what is to be kept beside the position; null for nothing, and once it is kept
 * @param decision the number of the decision; {@link JournalEntry#SELF} before it has one
 */
public record CursorCommit(
        Place place, long offset, boolean isOutside, long decision, String note) {

    /** A cursor in a partition. */
    record Place(UUID topicId, String cursor, int partition) {}

    /** Returns the topic of the cursor. */
    public UUID topicId() {
        return place.topicId;
    }

    /** Returns the name of the cursor. */
    public String cursor() {
        return place.cursor;
    }

    /** Returns the partition in which the cursor gets the position. */
    public int partition() {
        return place.partition;
    }

    /** Returns whether it is of a cursor, in whatever partition. */
    boolean isOf(UUID topic, String name) {
        return cursor().equals(name) && topicId().equals(topic);
    }

    /**
     * Returns whether its partition exists.
     *
     * @throws InvalidOptionException when the offset is not one of the partition's
     */
    boolean isIn(TxStore store) {
        TxPartition read = store.partition(topicId(), partition());
        if (read == null) {
            return false;
        }
        if (!read.log().isPosition(offset)) {
            throw read.log().noPosition("cursor " + cursor(), offset);
        }
        return true;
    }

    InvalidOptionException hasNoPartition() {
        return new InvalidOptionException(
                "cursor " + cursor() + ": its topic has no partition " + partition());
    }

    /** Returns the same commit, of another offset in the log. */
    CursorCommit to(long end) {
        return new CursorCommit(place, end, false, decision, note);
    }

    CursorCommit decided(long number) {
        return new CursorCommit(place, offset, isOutside, number, note);
    }

    CursorCommit withoutNote() {
        return new CursorCommit(place, offset, isOutside, decision, null);
    }

    /** Returns whether it is decided, and has a note that is kept nowhere else. */
    boolean isNoteLeft() {
        return note != null && decision != JournalEntry.SELF;
    }
}
