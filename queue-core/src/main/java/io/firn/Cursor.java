package io.firn;

/**
 * A named position in each partition of a topic, kept by the store, from which a reader resumes
 * after a restart. At-least-once: after a crash it may be before the position that was committed,
 * never after it. Thread-safe.
 *
 * <pre>{@code
 * Cursor billing = topic.cursor("billing");
 * billing.commit(0, record.offset() + 1); // the record is done
 * billing.force(); // durable
 * }</pre>
 */
public interface Cursor extends CursorReader {

    /**
     * Sets the next record to be read. Persisted within the store's cursor interval, and at close;
     * never above the durable offset. If it goes back, or had no position, it waits while retention
     * that waits for cursors ({@link RetainUntilRead}) is raising the log start: what is below the
     * log start when this returns is gone, and all from the offset on is kept from then on.
     *
     * @throws InvalidOptionException when the offset is below 0 or above the next offset, or the
     *     partition does not exist
     * @throws ClosedException when the cursor was deleted
     */
    void commit(int partition, long offset);

    /** Removes the position in a partition; persisted as a commit is. */
    void clear(int partition);

    /**
     * Makes the current offsets durable before it returns; forces the records below them first.
     *
     * @throws ClosedException when the cursor was deleted
     */
    void force();

    /**
     * Reserves its positions in partitions for one reader, until the reservation is closed. {@link
     * Topic#openTailer(TailerOptions)} does so; a reader that advances the cursor itself may, to
     * exclude others. {@link #commit} does not check for a reservation.
     *
     * @throws BusyException when one of them is reserved
     */
    Reservation reserve(int... partitions);

    /** Keeps other readers from positions of a cursor. Thread-safe. */
    interface Reservation extends AutoCloseable {

        /** Releases the positions. Idempotent. */
        @Override
        void close();
    }
}
