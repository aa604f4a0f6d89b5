package io.firn.read;

import io.firn.ClosedException;
import io.firn.Cursor;
import io.firn.InvalidOptionException;
import io.firn.RecordHandler;
import io.firn.Tailer;
import io.firn.TimestampedOffset;
import io.firn.background.Signal;
import io.firn.log.SegmentedLog;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** A tailer over one or more partitions, which take turns to be first. */
public final class LogTailer implements Tailer {
    private final RecordReader[] readers;
    private final Signal published;
    private final Runnable lookAgain;
    private final Runnable doWork;
    private final Consumer<Cursor> checkCursor;
    private int first;
    private boolean polling;
    private volatile boolean closed;

    /**
     * Creates a tailer at the start of each log.
     *
     * @param published wakes whoever waits for more records of these logs
     * @param lookAgain makes a read-only store look for what the writing process has changed
     * @param doWork does the store's background work while this tailer waits; null if the store has
     *     threads for that
     * @param checkCursor throws when a cursor is another topic's
     */
    public LogTailer(
            List<SegmentedLog> logs,
            Signal published,
            Runnable lookAgain,
            Runnable doWork,
            Consumer<Cursor> checkCursor) {
        logs.forEach(log -> log.state().checkReadable());
        this.readers =
                logs.stream()
                        .map(log -> new RecordReader(log, lookAgain))
                        .toArray(RecordReader[]::new);
        this.published = published;
        this.lookAgain = lookAgain;
        this.doWork = doWork;
        this.checkCursor = checkCursor;
    }

    @Override
    public int poll(RecordHandler handler, int limit) {
        Objects.requireNonNull(handler, "handler");
        check(limit);
        polling = true;
        try {
            if (readers.length == 1) {
                return readers[0].poll(handler, limit);
            }
            int taken = 0;
            int start = first;
            first = start + 1 == readers.length ? 0 : start + 1;
            for (int i = 0; i < readers.length && taken < limit; i++) {
                RecordReader reader = readers[(start + i) % readers.length];
                taken += reader.poll(handler, limit - taken);
                if (reader.stopped()) {
                    break;
                }
            }
            return taken;
        } finally {
            polling = false;
        }
    }

    @Override
    public int poll(RecordHandler handler, int limit, Duration timeout) {
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(timeout, "timeout");
        int taken = poll(handler, limit);
        if (taken > 0 || anyStopped() || timeout.isZero() || timeout.isNegative()) {
            return taken;
        }
        // A wait of more than 292 years is a wait without end.
        boolean endless = timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0;
        long deadline = System.nanoTime() + (endless ? Long.MAX_VALUE : timeout.toNanos());
        published.enter();
        try {
            while (true) {
                taken = poll(handler, limit);
                long left = deadline - System.nanoTime();
                if (taken > 0 || left <= 0 || anyStopped()) {
                    return taken;
                }
                if (doWork == null) {
                    published.await(left);
                } else if (Thread.currentThread().isInterrupted()) {
                    return 0;
                } else {
                    doWork.run();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        } finally {
            published.leave();
        }
    }

    private boolean anyStopped() {
        for (RecordReader reader : readers) {
            if (reader.stopped()) {
                return true;
            }
        }
        return false;
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
    public void seek(int partition, long offset) {
        checkIdle();
        if (offset < 0) {
            throw new InvalidOptionException("an offset must not be negative: " + offset);
        }
        reader(partition).seek(offset);
    }

    @Override
    public void seek(long offset) {
        seek(only().log().index(), offset);
    }

    @Override
    public void seekToStart() {
        checkIdle();
        for (RecordReader reader : readers) {
            reader.seek(reader.log().logStartOffset());
        }
    }

    @Override
    public void seekToEnd() {
        checkIdle();
        for (RecordReader reader : readers) {
            reader.seek(reader.log().visibleOffset());
        }
    }

    @Override
    public void seekToTimestamp(long timestampMs) {
        checkIdle();
        for (RecordReader reader : readers) {
            SegmentedLog log = reader.log();
            TimestampedOffset found = new TimestampSearch(log, lookAgain).find(timestampMs);
            reader.seek(found == null ? log.visibleOffset() : found.offset());
        }
    }

    @Override
    public void seekTo(Cursor cursor) {
        Objects.requireNonNull(cursor, "cursor");
        checkIdle();
        checkCursor.accept(cursor);
        for (RecordReader reader : readers) {
            long offset = cursor.offset(reader.log().index());
            reader.seek(offset < 0 ? reader.log().logStartOffset() : offset);
        }
    }

    @Override
    public void close() {
        closed = true;
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
        if (polling) {
            throw new IllegalStateException("a handler must not poll or seek its own tailer");
        }
    }

    private RecordReader reader(int partition) {
        for (RecordReader reader : readers) {
            if (reader.log().index() == partition) {
                return reader;
            }
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
}
