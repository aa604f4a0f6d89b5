package io.firn;

import java.time.Duration;

/**
 * Reads records in ascending order of offset, up to the visible end: what is durable in a {@link
 * Durability#DURABLE} topic, what is written in a {@link Durability#WRITTEN} one. A tailer over
 * several partitions reads them in turn; the order holds within each. Between polls a tailer holds
 * no resources of the log.
 *
 * <p>For one thread at a time. Opening a tailer is cheap; use one per reader.
 */
public interface Tailer extends AutoCloseable {

    /**
     * Hands the available records to the handler, without waiting. Every batch is verified before
     * its records are handed out.
     *
     * @param limit the most records to hand out, at least 1
     * @return the number of records handed out and handled; 0 when none are available
     * @throws OffsetOutOfRangeException when the next record was deleted by retention; names the
     *     range of the log
     * @throws DamagedRangeException when the next records are corrupted; seek past the range to
     *     continue
     * @throws UnknownTopicException when the topic was deleted
     * @throws ClosedException after close
     */
    int poll(RecordHandler handler, int limit);

    /**
     * As {@link #poll(RecordHandler, int)}, but waits for the first record.
     *
     * @param timeout how long to wait at most; zero does not wait
     * @return as above; 0 when the time is up or the thread was interrupted (its status stays set)
     */
    int poll(RecordHandler handler, int limit, Duration timeout);

    /**
     * Returns the smallest offset that the next record of a partition can have.
     *
     * @throws InvalidOptionException when this tailer does not read that partition
     */
    long offset(int partition);

    /** As {@link #offset(int)}, for a tailer over one partition. */
    long offset();

    /** Moves to an offset of a partition. If the log does not have it, the next poll throws. */
    void seek(int partition, long offset);

    /** As {@link #seek(int, long)}, for a tailer over one partition. */
    void seek(long offset);

    /** Moves to the earliest record of each partition. */
    void seekToStart();

    /** Moves to the visible end of each partition. */
    void seekToEnd();

    /** Moves, in each partition, to the first record with this timestamp (ms) or a later one. */
    void seekToTimestamp(long timestampMs);

    /** Moves to the position of a cursor of the same topic. */
    void seekTo(Cursor cursor);

    /** Closes the tailer. Idempotent. */
    @Override
    void close();
}
