package io.firn.host;

import io.firn.ClosedException;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.PoisonedException;
import io.firn.RecordTooLargeException;
import io.firn.StoreFullException;
import io.firn.TruncatedException;
import io.firn.UnexpectedOffsetException;
import java.nio.ByteBuffer;

/**
 * The one writer of a partition of a replicated topic: stores batches exactly as another log, the
 * source, has stored them, with the same offsets and leader epochs.
 *
 * <p>The batches are stored in the order of their offsets. What the source no longer has, because
 * it was compacted or deleted, is covered by fillers, which readers pass over. So the offsets of
 * the replica have no gaps, and a position in the source is the same position here.
 *
 * <p>For one thread at a time. All methods throw {@link ClosedException} after close.
 *
 * @see HostedStore
 */
public interface ReplicaAppender extends AutoCloseable {

    /** Returns the offset that the next batch is expected to begin with. */
    long nextOffset();

    /** Returns the leader epoch of the last batch; −1 if there is none. */
    int lastEpoch();

    /**
     * Returns where a leader epoch ends here, as the answer to the request OffsetForLeaderEpoch
     * would: of the largest epoch that is not above the given one.
     */
    EpochEnd endOfEpoch(int epoch);

    /**
     * Appends whole batches of magic 2, one after the other, between position and limit of a
     * big-endian buffer, which do not change. Every byte is stored as it is. Offsets between {@link
     * #nextOffset} and the first offset of a batch are covered by fillers; a partition that has no
     * batches begins with the first one's offset instead, which becomes its log start.
     *
     * <p>Does not wait for a force: in a {@link Durability#DURABLE} topic readers see the batches
     * when they are durable.
     *
     * @return how many bytes were taken, a number of whole batches. Fewer than there are when the
     *     next block is still being prepared, or when a later batch is refused: try again with the
     *     rest. A rest that begins with a batch that cannot be stored is refused by an exception.
     * @throws InvalidBatchException when the first batch is no whole and valid batch, or its leader
     *     epoch is below {@link #lastEpoch}
     * @throws UnexpectedOffsetException when the first batch begins below {@link #nextOffset}
     * @throws RecordTooLargeException when the first batch does not fit a segment
     * @throws StoreFullException when no tier has room
     * @throws PoisonedException when the medium failed
     */
    int append(ByteBuffer batches);

    /**
     * Continues at an offset, because the source has nothing any more between {@link #nextOffset}
     * and it. That range is covered by fillers; a partition that has no batches begins there
     * instead. Transactions that are open here are aborted in that range, as far as it has offsets
     * for their markers: the source may have deleted their ends, and has nothing of them any more.
     * Returns without having reached the offset when the next block is still being prepared: try
     * again until {@link #nextOffset} is the offset.
     *
     * @throws UnexpectedOffsetException when the offset is below {@link #nextOffset}
     * @throws InvalidOptionException when the range is too long to be covered: 2³⁵ offsets or more
     * @throws StoreFullException when no tier has room
     * @throws PoisonedException when the medium failed
     */
    void fillTo(long offset);

    /**
     * Removes the batch that contains an offset and everything after it, durably, because the
     * source no longer has it. {@link #nextOffset} is then the first offset of that batch. A reader
     * that is beyond it gets a {@link TruncatedException}. After a crash, or an exception, some of
     * what was to be removed may still be there, at the end of the log and without gaps.
     *
     * @throws InvalidOptionException when the offset is below the log start or above {@link
     *     #nextOffset}
     * @throws PoisonedException when it failed half-way: open the store again, and truncate again
     */
    void truncate(long offset);

    /**
     * Says that the marker of a transaction will never come, because the source has deleted it. A
     * reader of committed records that has come to the transaction gets a {@link
     * LostMarkerException} instead of waiting, until the transaction is truncated, or ends all the
     * same. Forgotten at close of the store. Does nothing if another transaction, or none, is the
     * first one that is open.
     *
     * @param firstOffset the first offset of the transaction
     * @param found what was found, and what can be done
     */
    void endIsLost(long firstOffset, String found);

    /** Makes everything durable that was appended. */
    void force();

    /** Releases the partition, so that another appender can be opened. Does not force. */
    @Override
    void close();
}
