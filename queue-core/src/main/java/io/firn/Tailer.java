package io.firn;

import java.time.Duration;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Reads records in ascending order of offset, up to the visible end: what is durable in a {@link
 * Durability#DURABLE} topic, what is written in a {@link Durability#WRITTEN} one. A tailer over
 * several partitions reads them in turn; the order holds within each. Offsets have gaps where
 * compaction has removed records. Between polls a tailer holds no resources of the log.
 *
 * <p>For one thread at a time. Opening a tailer is cheap; use one per reader.
 *
 * <pre>{@code
 * try (Tailer tailer = topic.openTailer(TailerOptions.at("billing"))) { // where the cursor is
 *     int handled = tailer.poll(record -> {
 *         bill(record.key(), record.value()); // valid only in here
 *         return Action.CONTINUE;
 *     }, 100, Duration.ofSeconds(1));
 * }
 * }</pre>
 */
public interface Tailer extends Iterable<StoredRecord>, AutoCloseable {

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
     * @throws BatchTooLargeException when the next batch is too large to be decompressed; seek past
     *     it to continue
     * @throws BusyException when there was no memory to decompress the next batch; nothing is lost,
     *     poll again
     * @throws UnknownTopicException when the topic was deleted
     * @throws ClosedException after close
     */
    int poll(RecordHandler handler, int limit);

    /**
     * As {@link #poll(RecordHandler, int)}, but waits for the first record.
     *
     * @param timeout how long to wait at most; zero or less does not wait
     * @return as above; 0 when the time is up or the thread was interrupted (its status stays set)
     */
    int poll(RecordHandler handler, int limit, Duration timeout);

    /**
     * As {@link #poll(RecordHandler, int)}, for all that is done with a record is to look at it:
     * every record that was handed out counts as handled. An exception ends it and is passed on;
     * the record counts as not handled.
     */
    int forEach(Consumer<? super LogRecord> consumer, int limit);

    /**
     * As {@link #forEach(Consumer, int)}, but waits as {@link #poll(RecordHandler, int, Duration)}.
     */
    int forEach(Consumer<? super LogRecord> consumer, int limit, Duration timeout);

    /**
     * Hands out records as they come, on this thread, until it is interrupted or an error ends it,
     * as {@link TailerLoop#run} does, which can also be stopped and go on after errors.
     */
    default void run(RecordHandler handler) {
        TailerLoop.of(this).run(handler);
    }

    /**
     * Returns copies of the records that are available, in the order of {@code poll}; it ends at
     * the visible end, and goes on if more records come. For those who prefer it to speed: each
     * record is copied. It reads one record ahead: after {@code hasNext} the tailer is behind the
     * record that {@code next} will return. What {@code poll} throws, {@code hasNext} and {@code
     * next} throw.
     */
    @Override
    default Iterator<StoredRecord> iterator() {
        return new RecordIterator(handler -> poll(handler, 1));
    }

    /** Returns copies of the records that are available, as {@link #iterator} does. */
    default Stream<StoredRecord> stream() {
        int kind = Spliterator.ORDERED | Spliterator.NONNULL;
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(iterator(), kind), false);
    }

    /**
     * Returns copies of the records before this place, the last one first, down to the earliest
     * record; for a tailer over one partition. A new tailer is at the start, where there are none:
     * call {@link #seekToEnd} first to begin with the last record of all. Each {@code next} moves
     * the tailer to the record that it returns. The records are read in pieces of up to some 100
     * KiB. What {@code poll} throws, {@code hasNext} and {@code next} throw.
     *
     * @throws InvalidOptionException when this tailer reads several partitions
     */
    default Iterator<StoredRecord> backwards() {
        return new BackwardIterator(this);
    }

    /**
     * Returns the smallest offset that the next record of a partition can have.
     *
     * @throws InvalidOptionException when this tailer does not read that partition
     */
    long offset(int partition);

    /** As {@link #offset(int)}, for a tailer over one partition. */
    long offset();

    /**
     * Returns the lowest offset that a partition of a replicated topic was truncated to since this
     * tailer was moved in it last, or a poll reached it; {@link Long#MAX_VALUE} if it was not.
     * Other records may have the offsets from there on: who keeps how far it has read goes back to
     * this offset. If the tailer is above it, its next poll throws a {@link TruncatedException}.
     *
     * @throws InvalidOptionException when this tailer does not read that partition
     */
    long truncatedTo(int partition);

    /** Moves to an offset of a partition. If the log does not have it, the next poll throws. */
    void seek(int partition, long offset);

    /** As {@link #seek(int, long)}, for a tailer over one partition. */
    void seek(long offset);

    /** Moves to the earliest record of each partition. */
    void seekToStart();

    /** Moves to the visible end of each partition. */
    void seekToEnd();

    /**
     * Moves, in each partition, so that the last records are read: to the visible end minus a
     * number of offsets, or to the earliest record if there are fewer. Where compaction has removed
     * records, fewer are read; {@link #backwards} does not count those.
     *
     * @param count how many records of each partition, 0 or more
     * @throws InvalidOptionException when it is negative
     */
    void seekToLast(long count);

    /** Moves, in each partition, to the first record with this timestamp (ms) or a later one. */
    void seekToTimestamp(long timestampMs);

    /** Moves to the position of a cursor of the same topic. */
    void seekTo(CursorReader cursor);

    /** Returns the cursor that it reads at; null for none. */
    default Cursor cursor() {
        return null;
    }

    /** Returns whether it commits its cursor by itself, as its {@link TailerOptions} say. */
    default boolean isCommitting() {
        return false;
    }

    /**
     * Commits its cursor behind the records that were handled, among them the one that an iterator
     * has returned last, and makes it durable before it returns. After a crash, the same cursor
     * leads to the first record that was not handled before the position that was persisted last:
     * records may be read twice, but none is skipped.
     *
     * <p>A record is handled when its handler has returned {@link RecordHandler.Action#CONTINUE} or
     * {@link RecordHandler.Action#STOP}; one of an {@link #iterator} or {@link #stream}, when the
     * next one is asked for. A seek moves the cursor, too, at the next commit.
     *
     * @throws IllegalStateException when it reads at no cursor
     * @throws InvalidOptionException when this tailer was moved past the end by a seek
     * @throws ClosedException when the cursor was deleted, or the store was closed
     */
    default void commit() {
        throw new IllegalStateException(
                "this tailer reads at no cursor: open it with TailerOptions.at(name)");
    }

    /**
     * Returns the number of offsets that this tailer has passed over because retention had deleted
     * their records, see {@link TailerOptions#withSkipWhenOvertaken}. For any thread.
     */
    default long overtakenRecords() {
        return 0;
    }

    /**
     * Closes the tailer. Unless only {@link #commit} does so, and if this thread polled last,
     * commits its cursor behind the records that were handled. Idempotent.
     */
    @Override
    void close();
}
