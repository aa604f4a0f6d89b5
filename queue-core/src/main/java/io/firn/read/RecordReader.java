package io.firn.read;

import io.firn.IsolationLevel;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import io.firn.format.BatchFormat;
import io.firn.format.RecordFlyweight;
import io.firn.log.SegmentedLog;
import io.firn.spi.BlockReader.BlockReusedException;
import io.firn.spi.View;
import java.nio.ByteBuffer;

/**
 * Hands the records of one partition to handlers, from an offset on. Between polls it remembers its
 * place but holds nothing: a segment is pinned during a poll only. Not thread-safe.
 */
final class RecordReader {
    private final SegmentedLog log;
    private final IsolationLevel isolation;
    private final BatchCursor cursor;
    private final ShownBatches shown;
    private final BatchRecords records;
    private final RecordFlyweight record;
    private final SingleRecords singles;
    private boolean stopped;

    /** Whether the handler was called and has not returned. */
    private boolean handling;

    /** Whether what is visible may be less than it was. */
    private boolean lookedAgain;

    /** Creates a reader at the start of a log. */
    RecordReader(SegmentedLog log, IsolationLevel isolation) {
        this.log = log;
        this.isolation = isolation;
        this.cursor = new BatchCursor(log);
        this.shown = new ShownBatches(log, isolation);
        this.records = new BatchRecords(log, shown);
        this.record = records.record();
        this.singles = new SingleRecords(log.index(), record);
    }

    /** Returns the log that it reads. */
    SegmentedLog log() {
        return log;
    }

    /** Returns where it stops at present. */
    long visibleOffset() {
        return log.visibleOffset(isolation);
    }

    /** Returns the offset of the next record. */
    long offset() {
        return cursor.offset();
    }

    /** Returns what the log was truncated to since it was moved, as {@link BatchCursor} does. */
    long truncatedTo() {
        return cursor.truncatedTo();
    }

    /** Returns how many truncations a reader that looks now has seen. */
    long truncations() {
        return log.truncations().count();
    }

    /** Moves to any offset. */
    void seek(long to) {
        seek(to, truncations());
    }

    /**
     * Moves to any offset.
     *
     * @param truncationsSeen how many there were when the offset was found
     */
    void seek(long to, long truncationsSeen) {
        cursor.seek(to, truncationsSeen);
    }

    /** Returns whether it is within a batch that takes much memory. */
    boolean isInLargeBatch() {
        return cursor.isOpen() && records.isLarge();
    }

    /** Gives back what it holds between polls; for any thread. */
    void close() {
        records.end();
    }

    /** Returns whether the last poll ended because the handler said so, or by an interrupt. */
    boolean stopped() {
        return stopped;
    }

    /** Hands out up to a number of visible records, and returns how many were taken. */
    int poll(RecordHandler handler, int limit) {
        stopped = false;
        log.catchUp();
        cursor.checkRange();
        long visible = log.visibleOffset(isolation); // later than the look for truncations
        if (cursor.offset() >= visible && isolation == IsolationLevel.READ_COMMITTED) {
            log.checkEndsAreThere(cursor.offset());
        }
        int taken = 0;
        while (taken < limit && cursor.offset() < visible && !stopped) {
            lookedAgain = false;
            taken += pollSegment(handler, limit - taken, visible);
            if (cursor.isTruncated()) {
                cursor.checkRange();
                lookedAgain = true;
            }
            if (lookedAgain) {
                visible = log.visibleOffset(isolation);
            }
            if (shown.takeEndUnknown()) {
                cursor.seek(cursor.offset());
                visible = log.visibleOffset(isolation);
            }
        }
        return taken;
    }

    private int pollSegment(RecordHandler handler, int limit, long visible) {
        handling = false;
        View view;
        try {
            view = cursor.pin();
        } catch (BlockReusedException e) {
            lookAgain();
            return 0;
        }
        record.valid(true);
        int taken = 0;
        try {
            records.enter();
            if (cursor.isTruncated()) {
                return 0;
            }
            cursor.find(view.buffer());
            if (cursor.isOpen() && !records.reopen(view)) {
                cursor.markClosed();
            }
            long end = Math.min(visible, cursor.segmentEnd());
            while (taken < limit && cursor.offset() < end && !stopped) {
                if (cursor.isTruncated()) {
                    break; // while the handler worked
                }
                if (cursor.isOpen()) {
                    taken += pollBatch(handler, limit - taken);
                    continue;
                }
                if (cursor.reader().isInPlace()) {
                    taken += pollSingles(handler, limit - taken, end, view);
                    if (stopped || taken == limit || cursor.offset() >= end) {
                        break;
                    }
                }
                records.open(cursor, view);
                stopped = records.isInterrupted();
                if (shown.isEndUnknown()) {
                    break;
                }
            }
            return taken;
        } catch (BlockReusedException e) {
            lookAgain();
            return taken;
        } catch (InternalError e) {
            if (handling && cursor.isReadable(view.buffer())) {
                throw e; // thrown by the handler, not by the mapping
            }
            if (cursor.isCutOff()) {
                return taken;
            }
            throw cursor.unreadable(e);
        } finally {
            record.valid(false); // its bytes may be unmapped from here on
            records.leave();
            cursor.unpin(view);
        }
    }

    private void lookAgain() {
        cursor.lookAgain();
        lookedAgain = true;
    }

    /** Hands out the records of batches of one record, up to a batch that is another one. */
    private int pollSingles(RecordHandler handler, int limit, long end, View view) {
        RecordFlyweight shown = record;
        BatchCursor place = cursor;
        SingleRecords batches = singles;
        ByteBuffer memory = view.buffer();
        records.wrapInPlace(view);
        int taken = 0;
        while (taken < limit && place.offset() < end && batches.show(place, memory)) {
            Action action = handle(handler, shown);
            if (action == Action.RETRY) {
                stopped = true;
                break;
            }
            taken++;
            place.advanceTo(batches.next(), place.offset() + 1);
            if (action == Action.STOP) {
                stopped = true;
                break;
            }
        }
        return taken;
    }

    private int pollBatch(RecordHandler handler, int limit) {
        // Read once: what is called in between may change any field, as far as the compiler knows.
        BatchRecords batch = records;
        RecordFlyweight shown = record;
        BatchCursor place = cursor;
        int taken = 0;
        while (taken < limit && batch.hasNext()) {
            int next = batch.show();
            if (next < 0 && place.offset() < batch.nextOffset()) {
                throw place.damaged(batch.nextOffset(), "malformed record");
            }
            if (next < 0) {
                batch.moveToEnd(); // all of the batch's offsets were handed out
                break;
            }
            long offset = shown.offset();
            if (offset >= place.offset()) {
                Action action = handle(handler, shown);
                if (action == Action.RETRY) {
                    stopped = true;
                    return taken;
                }
                taken++;
                place.offset(offset + 1);
                stopped = action == Action.STOP;
            }
            batch.moveTo(next);
            if (stopped) {
                break;
            }
        }
        if (!batch.hasNext()) {
            batch.close(place);
        }
        return taken;
    }

    private Action handle(RecordHandler handler, RecordFlyweight shown) {
        handling = true;
        Action action = handler.onRecord(shown);
        handling = false;
        if (action == null) {
            throw new NullPointerException(
                    log
                            + ": the handler returned null for offset "
                            + cursor.offset()
                            + ", expected CONTINUE, STOP or AGAIN; the record is handed out again");
        }
        return action;
    }

    /**
     * A short cut to the records of uncompressed batches of one record, as embedded appends write
     * them: from the header to the record, without the state of a batch that is read in several
     * steps. Whatever is not exactly that, or is damaged, is left to {@link BatchRecords}. Not
     * thread-safe.
     */
    private static final class SingleRecords {
        /**
         * Eight bytes of which the last six are the attributes and the delta of the last offset.
         */
        private static final int KIND = BatchFormat.ATTRIBUTES - Short.BYTES;

        private static final int KIND_SHIFT = Short.SIZE;

        private final int partition;
        private final RecordFlyweight record;
        private int next;

        /** Creates it for batches of a partition, which it shows by a record. */
        SingleRecords(int partition, RecordFlyweight record) {
            this.partition = partition;
            this.record = record;
        }

        /**
         * Shows the record of the batch at a cursor's place, if it is such a batch. The record must
         * have been wrapped around the memory, which is the segment's and not a copy.
         */
        boolean show(BatchCursor cursor, ByteBuffer memory) {
            int at = cursor.position();
            if (!isSingle(memory, at, cursor.limit(memory))) {
                return false;
            }
            int size = cursor.verify(memory);
            if (size < 0) {
                return false;
            }
            long base = cursor.base();
            next = at + size;
            long time = memory.getLong(at + BatchFormat.BASE_TIMESTAMP);
            record.batch(partition, base, base + 1, time, false, next);
            return record.show(at + BatchFormat.HEADER_LENGTH) == next && cursor.offset() == base;
        }

        private static boolean isSingle(ByteBuffer memory, int at, int end) {
            return end - at >= BatchFormat.HEADER_LENGTH
                    && memory.getLong(at + KIND) << KIND_SHIFT == 0;
        }

        /** Returns the position after the batch of the record that was shown. */
        int next() {
            return next;
        }
    }
}
