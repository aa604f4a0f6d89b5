package io.firn;

import io.firn.RecordHandler.Action;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * Copies the records before a tailer's place, the last one first. Batches can only be read
 * forwards, so it reads them in pieces, and each piece costs one search in the sparse index. Pieces
 * grow while they are small, so that the searches and the records that are decompressed in vain
 * remain a small part. A gap that compaction has left is searched for its beginning in steps that
 * double. Not thread-safe.
 */
final class BackwardIterator implements Iterator<StoredRecord>, RecordHandler {
    private static final int FIRST_RECORDS = 16;
    private static final int MOST_RECORDS = 4096;
    private static final int MOST_BYTES = 256 << 10;

    private final Tailer tailer;
    private final List<StoredRecord> piece = new ArrayList<>();

    /** The tailer's place. */
    private long place;

    /** Where what is not read yet begins, as far as is known, and where it ends. */
    private long start;

    private long end;
    private int records = FIRST_RECORDS;
    private long bytes;
    private boolean isRead;

    /** Creates an iterator over what is before the place of a tailer over one partition. */
    BackwardIterator(Tailer tailer) {
        this.tailer = tailer;
        this.place = tailer.offset();
        this.end = place;
    }

    @Override
    public Action onRecord(LogRecord record) {
        if (record.offset() >= end) {
            isRead = true;
            return Action.RETRY;
        }
        StoredRecord copy = record.copy();
        piece.add(copy);
        bytes += copy.value() == null ? 0 : copy.value().length;
        isRead = copy.offset() == end - 1;
        return isRead ? Action.STOP : Action.CONTINUE;
    }

    @Override
    public boolean hasNext() {
        if (piece.isEmpty() && end > start) {
            try {
                readPieces();
            } finally {
                tailer.seek(place);
            }
        }
        return !piece.isEmpty();
    }

    private void readPieces() {
        while (piece.isEmpty() && end > start) {
            long from = Math.max(start, end - records);
            try {
                read(from);
            } catch (OffsetOutOfRangeException e) {
                piece.clear();
                start = e.logStartOffset();
                end = Math.min(end, e.nextOffset()); // the tailer was moved past it
                continue;
            }
            end = from;
            records = bytes > MOST_BYTES ? records / 2 : 2 * records;
            records = Math.max(1, Math.min(MOST_RECORDS, records));
            if (piece.isEmpty() && records == MOST_RECORDS) {
                skipGap();
            }
        }
    }

    /** Moves the end of what is not read yet down to where a piece has a record, if any does. */
    private void skipGap() {
        long step = MOST_RECORDS;
        long low = end;
        while (low > start && !hasRecord(low, end)) {
            end = low;
            low = Math.max(start, low - step);
            step = Math.min(2 * step, Long.MAX_VALUE / 2);
        }
        while (end - low > MOST_RECORDS) {
            long middle = low + (end - low) / 2;
            if (hasRecord(middle, end)) {
                low = middle;
            } else {
                end = middle;
            }
        }
    }

    private boolean hasRecord(long from, long to) {
        if (from == to) {
            return false;
        }
        try {
            long[] found = {to};
            tailer.seek(from);
            tailer.poll(
                    record -> {
                        found[0] = record.offset();
                        return Action.RETRY;
                    },
                    1);
            return found[0] < to;
        } catch (DamagedRangeException | BatchTooLargeException | OffsetOutOfRangeException e) {
            return true; // the piece with it says so
        }
    }

    private void read(long from) {
        tailer.seek(from);
        isRead = false;
        bytes = 0;
        while (!isRead && tailer.poll(this, MOST_RECORDS) > 0) {
            continue; // to the end of the piece
        }
    }

    @Override
    public StoredRecord next() {
        if (!hasNext()) {
            throw new NoSuchElementException("no records are before offset " + place);
        }
        StoredRecord last = piece.remove(piece.size() - 1);
        place = last.offset();
        tailer.seek(place);
        return last;
    }
}
