package io.firn.host;

import io.firn.ClosedException;
import io.firn.Cursor;
import io.firn.CursorReader;
import io.firn.InvalidOptionException;
import java.util.OptionalLong;

/**
 * A cursor as servers see it, whose clients may commit any offset. Thread-safe.
 *
 * @see HostedStore
 */
public interface HostedCursor extends Cursor {

    /**
     * Returns a cursor with the methods for programs that serve it.
     *
     * @throws InvalidOptionException when it is not one of a store that Firn opened
     */
    static HostedCursor of(CursorReader cursor) {
        return Hosted.as(HostedCursor.class, cursor);
    }

    /**
     * Sets the next record to be read as {@link #commit} does, or, where a cursor cannot have the
     * offset, keeps it with the position: below 0, or above the next offset. For servers whose
     * clients may commit any offset, as those of Kafka. The position, by which retention goes,
     * stays what it was until the log is durable up to the offset, which is then the position. What
     * sets or clears the position forgets the offset. Persisted as a commit is.
     *
     * @throws InvalidOptionException when the partition does not exist
     * @throws ClosedException when the cursor was deleted
     */
    void commitAny(int partition, long offset);

    /**
     * Returns the offset that was set last, also one that {@link #commitAny} keeps with the
     * position; empty when there is none.
     */
    OptionalLong committed(int partition);
}
