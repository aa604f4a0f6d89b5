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
public record Move(
        UUID topicId,
        String cursor,
        int partition,
        long offset,
        boolean isOutside,
        long decision,
        String note) {
    /** Creates a move to an offset in the log. */
    Move(UUID topicId, String cursor, int partition, long offset, long decision, String note) {
        this(topicId, cursor, partition, offset, false, decision, note);
    }

    /** Returns whether it moves a cursor, in whatever partition. */
    boolean isOf(UUID topic, String name) {
        return cursor.equals(name) && topicId.equals(topic);
    }

    /**
     * Returns whether its partition exists.
     *
     * @throws InvalidOptionException when the offset is not one of the partition's
     */
    boolean isIn(TxStore store) {
        TxPartition read = store.partition(topicId, partition);
        if (read == null) {
            return false;
        }
        if (!read.log().isPosition(offset)) {
            throw read.log().noPosition("cursor " + cursor, offset);
        }
        return true;
    }

    InvalidOptionException hasNoPartition() {
        return new InvalidOptionException(
                "cursor " + cursor + ": its topic has no partition " + partition);
    }

    /** Returns the same move, to another offset in the log. */
    Move to(long end) {
        return new Move(topicId, cursor, partition, end, false, decision, note);
    }

    Move decided(long number) {
        return new Move(topicId, cursor, partition, offset, isOutside, number, note);
    }

    Move withoutNote() {
        return new Move(topicId, cursor, partition, offset, isOutside, decision, null);
    }

    /** Returns whether it is decided, and has a note that nobody else keeps. */
    boolean isNoteLeft() {
        return note != null && decision != JournalEntry.SELF;
    }
}
