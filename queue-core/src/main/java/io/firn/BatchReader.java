package io.firn;

/**
 * Reads whole batches of a partition as they lie in the log, for who sends or copies them without
 * looking at the records: a server, a mirror. Remembers its place, so that reading on costs no
 * search. For one thread at a time.
 */
public interface BatchReader {

    /** The partition that it reads. */
    Partition partition();

    /**
     * Takes batches from the one that holds the offset on, as many as lie side by side in one
     * segment below the visible end and fit. Headers are checked (length, offset), CRCs are not:
     * whoever looks at the records does that.
     *
     * @param offset of the first record that is wanted; the batch may begin before it
     * @param maxBytes not more than this
     * @param atLeastOne take the first batch however large it is
     * @return batches that are held in place until {@link BatchRun#close}; null when there is
     *     nothing to be seen at the offset, or the first batch does not fit
     * @throws OffsetOutOfRangeException when the offset is below the start or above the next offset
     * @throws DamagedRangeException when the bytes there are no batch
     * @throws UnknownTopicException when the topic was deleted
     * @throws ClosedException when the store is closed
     */
    BatchRun read(long offset, int maxBytes, boolean atLeastOne);
}
