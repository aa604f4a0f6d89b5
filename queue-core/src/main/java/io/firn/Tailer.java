package io.firn;

import java.time.Duration;

/**
 * Reads records in ascending order of offset, up to the visible end: what is durable in a {@link
 * Durability#DURABLE} topic, what is written in a {@link Durability#WRITTEN} one. Over several
 * partitions it takes turns; order holds within each. A tailer between polls holds nothing back.
 *
 * <p>One thread at a time. Opening tailers costs little; have one per reader.
 */
public interface Tailer extends AutoCloseable {

    /**
     * Hands out records that are there, without waiting. Every batch is verified before its records
     * are handed out.
     *
     * @param limit records at most, at least 1
     * @return records handed out and taken; 0 when there are none now
     * @throws OffsetOutOfRangeException when retention took what would come next; names both ends
     * @throws DamagedRangeException when what comes next was destroyed; seek behind it to go on
     * @throws UnknownTopicException when the topic was deleted
     * @throws ClosedException after close
     */
    int poll(RecordHandler handler, int limit);

    /**
     * As {@link #poll(RecordHandler, int)}, and waits for the first record.
     *
     * @param timeout how long at most; zero does not wait
     * @return 0 when the time is up, or the thread is interrupted (its status stays set)
     */
    int poll(RecordHandler handler, int limit, Duration timeout);

    /**
     * The partition's offset that the next record will have at least.
     *
     * @throws InvalidOptionException when this tailer does not read that partition
     */
    long offset(int partition);

    /** As {@link #offset(int)}, for a tailer over one partition. */
    long offset();

    /**
     * Goes to an offset of a partition. A place that the log does not hold is found out by the next
     * poll.
     */
    void seek(int partition, long offset);

    /** As {@link #seek(int, long)}, for a tailer over one partition. */
    void seek(long offset);

    /** Goes to the earliest record of each partition. */
    void seekToStart();

    /** Goes to the visible end of each partition. */
    void seekToEnd();

    /** Goes, in each partition, to the first record with this timestamp (ms) or a later one. */
    void seekToTimestamp(long timestampMs);

    /** Goes to where a cursor of the same topic stands. */
    void seekTo(Cursor cursor);

    /** Idempotent. */
    @Override
    void close();
}
