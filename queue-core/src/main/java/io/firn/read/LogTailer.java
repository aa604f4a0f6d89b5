package io.firn.read;

import io.firn.ClosedException;
import io.firn.CursorReader;
import io.firn.InvalidOptionException;
import io.firn.IsolationLevel;
import io.firn.LogRecord;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.background.Signal;
import io.firn.background.TailerRest;
import io.firn.log.LogContext;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicTailers;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.agrona.concurrent.IdleStrategy;

/**
 * A tailer over one or more partitions. One over several visits only those that may have something
 * unread ({@link TopicTailers.UnreadPartitions}), which take turns to be first.
 */
public final class LogTailer implements Tailer {
    private final RecordReader[] readers;
    private final Signal published;
    private final LogContext store;
    private final IdleStrategy rest;
    private final Consumer<CursorReader> checkCursor;
    private final IsolationLevel isolation;
    private final TopicTailers tailers;
    private final TopicTailers.UnreadPartitions unread;
    private final EachRecord each = new EachRecord();
    private final long openedNs;

    /** Whether threads that publish may not know this tailer yet. */
    private boolean isNew = true;

    private int first;
    private boolean stopped;

    /**
     * Who polls, or waits in a poll; plain, as who else uses the tailer is refused if it is seen.
     */
    private Thread polledBy;

    private Thread waitsBy;
    private volatile boolean closed;

    /**
     * Creates a tailer at the start of each log.
     *
     * @param logs of one topic
     * @param checkCursor throws when a cursor is another topic's
     * @param isolation which records of transactions it shows
     */
    public LogTailer(
            List<SegmentedLog> logs, Consumer<CursorReader> checkCursor, IsolationLevel isolation) {
        logs.forEach(log -> log.state().checkReadable());
        this.readers =
                logs.stream()
                        .map(log -> new RecordReader(log, isolation))
                        .toArray(RecordReader[]::new);
        this.tailers = logs.get(0).topic().tailers();
        this.published = logs.size() == 1 ? logs.get(0).readers().published() : tailers.published();
        this.store = logs.get(0).store();
        this.rest = store.isReadOnly() ? store.newTailerRest(this::hasNews) : null;
        this.checkCursor = checkCursor;
        this.isolation = isolation;
        this.unread =
                new TopicTailers.UnreadPartitions(
                        this, logs.stream().mapToInt(SegmentedLog::index).toArray());
        if (readers.length > 1) {
            tailers.add(unread);
        }
        this.openedNs = System.nanoTime(); // after who publishes can know it
    }

    @Override
    public int poll(RecordHandler handler, int limit) {
        Objects.requireNonNull(handler, "handler");
        check(limit);
        polledBy = Thread.currentThread();
        try {
            return readers.length == 1 ? pollOnly(handler, limit) : pollUnread(handler, limit);
        } finally {
            polledBy = null;
        }
    }

    private int pollOnly(RecordHandler handler, int limit) {
        int taken = readers[0].poll(handler, limit);
        stopped = readers[0].stopped();
        return taken;
    }

    private int pollUnread(RecordHandler handler, int limit) {
        stopped = false;
        if (rest != null) {
            for (RecordReader reader : readers) {
                reader.log().catchUp(); // notes what is unread, as a writer here does
            }
        }
        isNew = isNew && System.nanoTime() - openedNs < TopicTailers.KNOWN_AFTER_NS;
        int start = first;
        int taken = pollUnread(handler, limit, 0, start, readers.length);
        return pollUnread(handler, limit, taken, 0, start);
    }

    private int pollUnread(RecordHandler handler, int limit, int before, int from, int to) {
        int taken = before;
        int place = from;
        while (taken < limit && !stopped && (place = unread.next(place, to)) < to) {
            if (taken == 0) {
                first = place + 1 == readers.length ? 0 : place + 1; // whatever happens here
            }
            taken += pollPlace(handler, limit - taken, place);
            if (taken == limit && !stopped && readers[place].isInLargeBatch()) {
                first = place; // to its end: one large batch at a time
            }
            place++;
        }
        return taken;
    }

    private int pollPlace(RecordHandler handler, int limit, int place) {
        RecordReader reader = readers[place];
        int taken = reader.poll(handler, limit);
        stopped = reader.stopped();
        if (taken < limit && !stopped && !isNew) {
            // All was read. Only now, and with another look, so that nothing is missed.
            unread.clear(place);
            if (reader.offset() < reader.visibleOffset()) {
                unread.note(place);
            }
        }
        return taken;
    }

    @Override
    public int poll(RecordHandler handler, int limit, Duration timeout) {
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(timeout, "timeout");
        int taken = pollAndReset(handler, limit);
        if (taken > 0 || stopped || timeout.isZero() || timeout.isNegative()) {
            return taken;
        }
        // A wait of more than 292 years is a wait without end.
        boolean endless = timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0;
        long deadline = System.nanoTime() + (endless ? Long.MAX_VALUE : timeout.toNanos());
        long pauseNs = 0;
        waitsBy = Thread.currentThread();
        published.enter();
        try {
            while (true) {
                int wakeUps = published.wakeUps();
                taken = pollAndReset(handler, limit);
                long left = deadline - System.nanoTime();
                if (taken > 0 || left <= 0 || stopped) {
                    return taken;
                }
                if (!store.isInvoker() && rest == null) {
                    pauseNs = Signal.nextNs(pauseNs);
                    if (published.await(wakeUps, Math.min(left, pauseNs))) {
                        pauseNs = 0;
                    }
                } else if (Thread.currentThread().isInterrupted()) {
                    return 0;
                } else if (store.isInvoker()) {
                    store.invoke();
                } else {
                    rest(left);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        } finally {
            waitsBy = null;
            published.leave();
        }
    }

    /** Polls; after records, the pauses begin short again. */
    private int pollAndReset(RecordHandler handler, int limit) {
        int taken = poll(handler, limit);
        if (rest != null && taken > 0) {
            rest.reset();
        }
        return taken;
    }

    /** Whether a poll would do something; for any thread while this tailer waits. */
    private boolean hasNews() {
        for (RecordReader reader : readers) {
            SegmentedLog log = reader.log();
            log.catchUp();
            long offset = reader.offset();
            if (offset < reader.visibleOffset()
                    || offset < log.logStartOffset()
                    || offset > log.nextOffset()
                    || log.state().isGone()) {
                return true;
            }
        }
        return closed;
    }

    /** Its pauses grow until records come, in this call or a later one. */
    private void rest(long mostNs) {
        if (rest instanceof TailerRest own) {
            own.idle(mostNs);
        } else {
            rest.idle();
        }
    }

    @Override
    public int forEach(Consumer<? super LogRecord> consumer, int limit) {
        checkIdle();
        return poll(each.with(consumer), limit);
    }

    @Override
    public int forEach(Consumer<? super LogRecord> consumer, int limit, Duration timeout) {
        checkIdle();
        return poll(each.with(consumer), limit, timeout);
    }

    @Override
    public long offset(int partition) {
        return reader(partition).offset();
    }

    @Override
    public long offset() {
        return only().offset();
    }

    @Override
    public long truncatedTo(int partition) {
        return reader(partition).truncatedTo();
    }

    @Override
    public void seek(int partition, long offset) {
        checkIdle();
        if (offset < 0) {
            throw new InvalidOptionException("an offset must not be negative: " + offset);
        }
        RecordReader reader = reader(partition);
        seek(reader, offset, reader.truncations());
    }

    private void seek(RecordReader reader, long offset, long truncations) {
        reader.seek(offset, truncations);
        unread.note(unread.place(reader.log().index()));
    }

    @Override
    public void seek(long offset) {
        seek(only().log().index(), offset);
    }

    @Override
    public void seekToStart() {
        checkIdle();
        for (RecordReader reader : readers) {
            reader.log().catchUp();
            seek(reader, reader.log().logStartOffset(), reader.truncations());
        }
    }

    @Override
    public void seekToEnd() {
        checkIdle();
        for (RecordReader reader : readers) {
            reader.log().catchUp();
            long truncations = reader.truncations(); // before the offset, here and below
            seek(reader, reader.visibleOffset(), truncations);
        }
    }

    @Override
    public void seekToLast(long count) {
        checkIdle();
        if (count < 0) {
            throw new InvalidOptionException("a number of records must not be negative: " + count);
        }
        for (RecordReader reader : readers) {
            long truncations = reader.truncations();
            long start = reader.log().logStartOffset();
            long end = reader.visibleOffset();
            seek(reader, end - Math.min(count, Math.max(0, end - start)), truncations);
        }
    }

    @Override
    public void seekToTimestamp(long timestampMs) {
        checkIdle();
        for (RecordReader reader : readers) {
            SegmentedLog log = reader.log();
            long truncations = reader.truncations();
            TimestampedOffset found = new TimestampSearch(log, isolation).find(timestampMs);
            long offset = found == null ? reader.visibleOffset() : found.offset();
            seek(reader, offset, truncations);
        }
    }

    @Override
    public void seekTo(CursorReader cursor) {
        Objects.requireNonNull(cursor, "cursor");
        checkIdle();
        checkCursor.accept(cursor);
        for (RecordReader reader : readers) {
            long truncations = reader.truncations();
            long offset = cursor.offset(reader.log().index());
            seek(reader, offset < 0 ? reader.log().logStartOffset() : offset, truncations);
        }
    }

    @Override
    public void close() {
        closed = true;
        if (readers.length > 1) {
            tailers.remove(unread);
        }
        for (RecordReader reader : readers) {
            reader.close();
        }
        published.wake(); // it may wait in another thread
    }

    private void check(int limit) {
        checkIdle();
        if (limit < 1) {
            throw new InvalidOptionException("limit must be at least 1, not " + limit);
        }
    }

    private void checkIdle() {
        if (closed) {
            throw new ClosedException("this tailer was closed");
        }
        if (polledBy != null || waitsBy != null) {
            checkNotPolled(polledBy, waitsBy);
        }
    }

    private static void checkNotPolled(Thread polledBy, Thread waitsBy) {
        Thread here = Thread.currentThread();
        if (polledBy == here) {
            throw new IllegalStateException("a handler must not poll or seek its own tailer");
        }
        Thread other = polledBy == null ? waitsBy : polledBy;
        if (other != null && other != here) {
            throw new ConcurrentModificationException(
                    "the tailer is being polled by the thread "
                            + other.getName()
                            + ": it is for one thread at a time; this call has read nothing; use the"
                            + " tailer when the other call has returned, or open one for each"
                            + " thread");
        }
    }

    private RecordReader reader(int partition) {
        int place = unread.place(partition);
        if (place >= 0) {
            return readers[place];
        }
        throw new InvalidOptionException("this tailer does not read partition " + partition);
    }

    private RecordReader only() {
        if (readers.length > 1) {
            throw new InvalidOptionException(
                    "this tailer reads " + readers.length + " partitions: say which one");
        }
        return readers[0];
    }

    /**
     * Hands records to a consumer, whatever it thinks of them. Used again, so that it is no
     * garbage.
     */
    private static final class EachRecord implements RecordHandler {
        private Consumer<? super LogRecord> consumer;

        EachRecord with(Consumer<? super LogRecord> target) {
            consumer = Objects.requireNonNull(target, "consumer");
            return this;
        }

        @Override
        public Action onRecord(LogRecord record) {
            consumer.accept(record);
            return Action.CONTINUE;
        }
    }
}
