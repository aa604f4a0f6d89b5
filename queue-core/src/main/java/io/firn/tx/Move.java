package io.firn.tx;

import java.util.UUID;

/**
 * A position that a transaction gives to a cursor.
 *
 * @param decision the number of the decision; {@link JournalEntry#SELF} before it has one
 */
public record Move(UUID topicId, String cursor, int partition, long offset, long decision) {

    /** Returns whether it moves a cursor, in whatever partition. */
    boolean isOf(UUID topic, String name) {
        return cursor.equals(name) && topicId.equals(topic);
    }

    Move decided(long number) {
        return new Move(topicId, cursor, partition, offset, number);
    }
}
