package io.firn.log;

/**
 * What readers of committed records are not shown: where they stop, and which batches they leave
 * out. Thread-safe.
 */
public interface ReaderLimit {
    /** What {@link #heldAt} is when nothing holds readers up. */
    long NOWHERE = Long.MAX_VALUE;

    /**
     * Returns where readers of committed records stop.
     *
     * @param end where all readers stop; loaded before this is called
     */
    long stable(long end);

    /** Returns the first offset that is not decided. */
    long heldAt();

    /** Returns why it is known that {@link #heldAt} will never be decided; null if it may be. */
    String lostEnd();

    /** Returns whether a batch with the transactional attribute belongs to an aborted one. */
    boolean isAborted(long producerId, long offset);

    /** Holds up all readers of committed records, until what is decided is found out anew. */
    void suspend();
}
