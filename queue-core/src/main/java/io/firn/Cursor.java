package io.firn;

/**
 * A named place in each partition of a topic, kept by the store: how a reader goes on after a
 * restart. At least once: after a crash it may stand before, never behind, where it was advanced
 * to. Thread-safe.
 */
public interface Cursor {

    /** Its name. */
    String name();

    /**
     * Offset of the next record to be read; {@code −1} when it was never advanced. In a store that
     * is open read-only it is read from the file each time: what the writing process wrote down
     * last.
     */
    long offset(int partition);

    /**
     * Sets the next record to be read. Written down within the store's cursor interval, and at
     * close; never above the durable offset.
     *
     * @throws InvalidOptionException when the offset is below 0 or above the next offset, or the
     *     partition does not exist
     * @throws ClosedException when the cursor was deleted
     */
    void advance(int partition, long offset);

    /** Forgets where it stands in a partition; written down as an advance is. */
    void clear(int partition);

    /**
     * Makes the present offsets durable before it returns, forcing the records below them first.
     *
     * @throws ClosedException when the cursor was deleted
     */
    void force();
}
