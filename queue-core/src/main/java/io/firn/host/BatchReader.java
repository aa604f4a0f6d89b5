package io.firn.host;

import io.firn.ClosedException;
import io.firn.DamagedRangeException;
import io.firn.LogStoreBuilder;
import io.firn.OffsetOutOfRangeException;
import io.firn.Partition;
import io.firn.UnknownTopicException;

/**
 * Reads whole batches of a partition as they are stored, for users such as a server or a mirror
 * that send or copy batches without reading the records. Remembers its position, so that sequential
 * reads need no search. For one thread at a time.
 *
 * <p>Where compaction has removed records, batches have fewer records than offsets, and empty
 * batches of 61 bytes stand for those that lost all: no offset is without a batch. {@link
 * HostedAppender#appendBatch} takes neither.
 *
 * @see HostedStore
 */
public interface BatchReader {

    /** Returns the partition that it reads. */
    Partition partition();

    /**
     * Returns consecutive batches of one segment, starting with the batch that contains the offset,
     * up to the visible end and as many as fit. Checks the headers (length, offset) but not the
     * CRCs, which the reader of the records checks. A header is checked once for each mapping of
     * its segment, and not before that is mapped again if this process has appended the batch,
     * except with {@link LogStoreBuilder#verifyEveryRead}. The first one is always checked.
     *
     * @param offset the offset of the first record that is wanted; the batch may begin before it
     * @param maxBytes the most bytes to return
     * @param atLeastOne whether to return the first batch even if it is larger than that
     * @return batches that stay in place until {@link BatchRun#close}; null when nothing is visible
     *     at the offset, or the first batch does not fit
     * @throws OffsetOutOfRangeException when the offset is below the start or above the next offset
     * @throws DamagedRangeException when the bytes there are not a batch
     * @throws UnknownTopicException when the topic was deleted
     * @throws ClosedException when the store is closed
     */
    BatchRun read(long offset, int maxBytes, boolean atLeastOne);

    /**
     * Returns whether {@link #read} would return batches from memory only, so that it can be called
     * on a thread that must not wait for a disk. Only a read that continues where the last one
     * ended can, and only if it ends in the same segment: otherwise this returns false without a
     * look. Does not wait for a disk itself. The system may give the memory to others at any time,
     * so a read may have to wait nevertheless, though rarely.
     *
     * @param offset as for {@link #read}
     * @param maxBytes likewise
     * @return true when all bytes that the read would return are in memory, and the end of their
     *     segment, and its first batch has records and is not larger than {@code maxBytes}
     */
    boolean isInMemory(long offset, int maxBytes);
}
