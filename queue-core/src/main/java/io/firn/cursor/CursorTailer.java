package io.firn.cursor;

import io.firn.Cursor;
import io.firn.CursorReader;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogRecord;
import io.firn.OffsetOutOfRangeException;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerOptions;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A tailer that reads at a cursor, and advances it past the records that were handled: as often as
 * its {@link TailerOptions} say, and durably in {@link #commit}. After a crash, the same cursor
 * leads to the first record that was not handled before the position that was persisted last, so
 * records may be read twice, but none is skipped.
 *
 * <p>A record is handled when its handler has returned {@link Action#CONTINUE} or {@link
 * Action#STOP}; one of an {@link #iterator} or {@link #stream}, when the next one is asked for. A
 * seek moves the cursor, too, at the next commit. One cursor may have tailers for different
 * partitions; a second one for the same partition is refused until the first one is closed.
 *
 * <p>As other tailers, for one thread at a time; {@link #overtakenRecords} is for any.
 */
public final class CursorTailer implements Tailer {
    private final Tailer tailer;
    private final Cursor cursor;
    private final TailerOptions options;
    private final int[] partitions;
    private final HandledRecords handled;
    private final Cursor.Reservation reservation;
    private final Handling handling = new Handling();
    private final Each each = new Each();

    /** Copies: what was read ahead, and what was given to who iterates and may be at work. */
    private StoredRecord ahead;

    private StoredRecord given;

    /** Plain: the use by another thread is refused if it is seen. */
    private Thread polledBy;

    private volatile Thread readBy;
    private volatile long overtaken;

    private CursorTailer(Tailer tailer, Cursor cursor, TailerOptions options, int... partitions) {
        this.reservation = cursor.reserve(partitions);
        this.tailer = tailer;
        this.cursor = cursor;
        this.options = options;
        this.partitions = partitions;
        this.handled = new HandledRecords(tailer::truncatedTo, cursor, options);
    }

    /** Moves a tailer to its cursor; closes it when that fails. */
    public static CursorTailer open(
            Tailer tailer, Cursor cursor, TailerOptions options, int... partitions) {
        CursorTailer opened = null;
        try {
            opened = new CursorTailer(tailer, cursor, options, partitions);
            opened.begin();
            return opened;
        } catch (RuntimeException e) {
            tailer.close();
            if (opened != null) {
                opened.reservation.close();
            }
            throw e;
        }
    }

    /**
     * Where it begins is durable before anything is read: after a crash, the end would be another
     * one.
     */
    private void begin() {
        boolean isNew = false;
        for (int partition : partitions) {
            isNew |= cursor.offset(partition) < 0;
        }
        if (isNew) {
            options.moveToStart(tailer);
        }
        for (int partition : partitions) {
            long offset = cursor.offset(partition);
            if (offset < 0) {
                cursor.commit(partition, tailer.offset(partition));
            } else {
                tailer.seek(partition, offset);
            }
        }
        cursor.force();
    }

    @Override
    public Cursor cursor() {
        return cursor;
    }

    @Override
    public long overtakenRecords() {
        return overtaken;
    }

    @Override
    public void commit() {
        checkIdle();
        noteGiven();
        handled.advanceCursor();
        cursor.force();
    }

    @Override
    public boolean isCommitting() {
        return !options.isCommittedByHand();
    }

    /** The last chance to advance the cursor, unless only the user commits. */
    private void leave() {
        if (isCommitting()) {
            try {
                handled.advanceCursor();
            } catch (FirnException | InvalidOptionException e) {
                return; // the store or the cursor is gone: the records are read again
            }
        }
    }

    // ---- reading

    @Override
    public int poll(RecordHandler handler, int limit) {
        return poll(handler, limit, Duration.ZERO);
    }

    @Override
    public int poll(RecordHandler handler, int limit, Duration timeout) {
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(timeout, "timeout");
        checkIdle();
        backToAhead();
        noteGiven();
        handling.handler = handler;
        int taken = pollOnce(handling, limit, Duration.ZERO);
        if (taken == 0 && !handling.isStopped && timeout.compareTo(Duration.ZERO) > 0) {
            taken = await(limit, timeout);
        }
        return taken;
    }

    /** The wait ends when the cursor is to be advanced, and goes on afterwards. */
    private int await(int limit, Duration timeout) {
        long dueNs = handled.untilDueNs();
        Duration due = Duration.ofNanos(dueNs);
        if (dueNs == Long.MAX_VALUE || timeout.compareTo(due) <= 0) {
            return pollOnce(handling, limit, timeout);
        }
        int taken = pollOnce(handling, limit, due);
        boolean isOver = taken > 0 || handling.isStopped || Thread.currentThread().isInterrupted();
        return isOver ? taken : pollOnce(handling, limit, timeout.minus(due));
    }

    private int pollOnce(RecordHandler to, int limit, Duration timeout) {
        handling.isStopped = false;
        if (readBy != Thread.currentThread()) {
            readBy = Thread.currentThread();
        }
        int taken;
        polledBy = Thread.currentThread();
        try {
            taken = pollPast(to, limit, timeout);
        } catch (Throwable e) {
            advanceAfter(e);
            throw e;
        } finally {
            polledBy = null;
        }
        handled.commitIfDue();
        return taken;
    }

    /** What ended the poll is what its caller has to know, also when the cursor is refused. */
    private void advanceAfter(Throwable e) {
        handling.isInHandler = false;
        try {
            handled.commitIfDue();
        } catch (FirnException | InvalidOptionException refused) {
            if (refused != e) {
                e.addSuppressed(refused);
            }
        }
    }

    /** Polls on where records are missing, if the options say so. */
    private int pollPast(RecordHandler to, int limit, Duration timeout) {
        int before = handling.taken;
        while (true) {
            int taken = handling.taken - before; // in polls that have ended with an exception
            if (taken > 0 && (taken == limit || handling.isStopped)) {
                return taken;
            }
            try {
                return taken
                        + (timeout.isZero() || taken > 0
                                ? tailer.poll(to, limit - taken)
                                : tailer.poll(to, limit, timeout));
            } catch (OffsetOutOfRangeException e) {
                boolean isBehind = e.offset() < e.logStartOffset();
                if (handling.isInHandler || !isBehind || options.onOvertaken() == null) {
                    throw e;
                }
                startAgain(e);
            }
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by the reading thread only
    private void startAgain(OffsetOutOfRangeException e) {
        options.onOvertaken().onOvertaken(e.partition(), e.offset(), e.logStartOffset());
        tailer.seek(e.partition(), e.logStartOffset());
        overtaken += e.logStartOffset() - e.offset();
    }

    /** Passes records on, and notes those that are handled. */
    private final class Handling implements RecordHandler {
        private RecordHandler handler;
        private int taken;
        private boolean isInHandler;
        private boolean isStopped;

        @Override
        public Action onRecord(LogRecord record) {
            int partition = record.partition();
            long offset = record.offset();
            isInHandler = true;
            Action action = handler.onRecord(record);
            isInHandler = false;
            if (action == Action.RETRY) {
                isStopped = true;
            } else if (action != null) {
                handled.at(partition, offset + 1);
                isStopped = action == Action.STOP;
                taken++;
                handled.commitIfDueInPoll();
            }
            return action;
        }
    }

    @Override
    public int forEach(Consumer<? super LogRecord> consumer, int limit) {
        return forEach(consumer, limit, Duration.ZERO);
    }

    @Override
    public int forEach(Consumer<? super LogRecord> consumer, int limit, Duration timeout) {
        Objects.requireNonNull(consumer, "consumer");
        checkIdle();
        each.consumer = consumer;
        return poll(each, limit, timeout);
    }

    private static final class Each implements RecordHandler {
        private Consumer<? super LogRecord> consumer;

        @Override
        public Action onRecord(LogRecord record) {
            consumer.accept(record);
            return Action.CONTINUE;
        }
    }

    // ---- copies

    @Override
    public Iterator<StoredRecord> iterator() {
        return new Copies();
    }

    /** A copy that was given counts as handled only when another one is asked for. */
    private final class Copies implements Iterator<StoredRecord>, RecordHandler {
        @Override
        public Action onRecord(LogRecord record) {
            ahead = record.copy();
            return Action.CONTINUE;
        }

        @Override
        public boolean hasNext() {
            if (ahead == null) {
                checkIdle();
                noteGiven();
                pollOnce(this, 1, Duration.ZERO);
            }
            return ahead != null;
        }

        @Override
        public StoredRecord next() {
            if (!hasNext()) {
                throw new NoSuchElementException("no more records are visible");
            }
            given = ahead;
            ahead = null;
            return given;
        }
    }

    private void noteGiven() {
        if (given != null) {
            handled.at(given.partition(), given.offset() + 1);
            given = null;
        }
    }

    /** What an iterator has read ahead was not returned. */
    private void backToAhead() {
        if (ahead != null) {
            if (tailer.truncatedTo(ahead.partition()) >= ahead.offset()) {
                tailer.seek(ahead.partition(), ahead.offset());
            } // else the poll has to tell that it was truncated
            ahead = null;
        }
    }

    // ---- its place

    @Override
    public long offset(int partition) {
        return tailer.offset(partition);
    }

    @Override
    public long offset() {
        return tailer.offset();
    }

    @Override
    public long truncatedTo(int partition) {
        return tailer.truncatedTo(partition);
    }

    @Override
    public void seek(int partition, long offset) {
        forgetCopies();
        tailer.seek(partition, offset);
        handled.at(partition, offset);
    }

    @Override
    public void seek(long offset) {
        forgetCopies();
        tailer.seek(offset);
        noteAll();
    }

    @Override
    public void seekToStart() {
        forgetCopies();
        tailer.seekToStart();
        noteAll();
    }

    @Override
    public void seekToEnd() {
        forgetCopies();
        tailer.seekToEnd();
        noteAll();
    }

    @Override
    public void seekToLast(long count) {
        forgetCopies();
        tailer.seekToLast(count);
        noteAll();
    }

    @Override
    public void seekToTimestamp(long timestampMs) {
        forgetCopies();
        tailer.seekToTimestamp(timestampMs);
        noteAll();
    }

    @Override
    public void seekTo(CursorReader other) {
        forgetCopies();
        tailer.seekTo(other);
        noteAll();
    }

    private void forgetCopies() {
        checkIdle();
        ahead = null;
        given = null;
    }

    private void noteAll() {
        for (int partition : partitions) {
            handled.at(partition, tailer.offset(partition));
        }
    }

    private void checkIdle() {
        Thread other = polledBy;
        if (other != null && other != Thread.currentThread()) {
            throw new ConcurrentModificationException(
                    "the tailer of cursor "
                            + cursor.name()
                            + " is being polled by the thread "
                            + other.getName()
                            + ": it is for one thread at a time; this call has done nothing; use"
                            + " the tailer when the other call has returned");
        }
        if (handling.isInHandler) {
            throw new IllegalStateException("a handler must not use its own tailer");
        }
    }

    /**
     * Closes the tailer. Unless only {@link #commit} does so, and if this thread polled last,
     * advances the cursor past the records that were handled. Idempotent.
     */
    @Override
    public void close() {
        tailer.close();
        if (readBy == Thread.currentThread()) { // another one may be in a poll
            leave();
        }
        reservation.close(); // the next reader finds the cursor where this one has left it
    }
}
