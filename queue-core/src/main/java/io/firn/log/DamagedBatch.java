package io.firn.log;

import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.format.RecordParser;
import java.nio.ByteBuffer;

/**
 * What is left of a damaged batch that shows where it ends: its length, its numbers of offsets, its
 * CRC, and its records. {@link Resync} decides what follows from that. A batch that compaction took
 * records from has fewer records than offsets; a filler has none. Not thread-safe.
 */
final class DamagedBatch {
    private final ByteBuffer memory;
    private final BatchVerifier verifier;
    private final int at;
    private final long offset;
    private final int end;
    private final long endOffset;

    /** The position after it by its length, −1 when that is impossible. */
    private final int byLength;

    /**
     * The offset after it, by its last offset and by its count; below its own when that is
     * impossible.
     */
    private final long byLastOffset;

    private final long byCount;

    private int byRecords = -1;

    /** The offset after its last record, less its own; 0 without records, −1 when not known yet. */
    private long records = -1;

    /**
     * Looks at the batch at a position.
     *
     * @param offset its first offset
     */
    DamagedBatch(SegmentWalk.Bytes bytes, BatchVerifier verifier, int at, long offset) {
        this.memory = bytes.memory();
        this.verifier = verifier;
        this.at = at;
        this.offset = offset;
        this.end = bytes.end();
        this.endOffset = bytes.endOffset();
        boolean hasHeader = end - at >= BatchFormat.HEADER_LENGTH;
        int length = hasHeader ? memory.getInt(at + BatchFormat.LENGTH) : -1;
        int least = BatchFormat.HEADER_LENGTH - BatchFormat.LENGTH_OVERHEAD;
        int most = end - at - BatchFormat.LENGTH_OVERHEAD;
        // Bytes from another place of the log tell of a batch that is not here.
        boolean isHere = hasHeader && memory.getLong(at) == offset;
        boolean isSane = isHere && length >= least && length <= most;
        this.byLength = isSane ? at + BatchFormat.LENGTH_OVERHEAD + length : -1;
        int count = hasHeader ? memory.getInt(at + BatchFormat.COUNT) : -1;
        this.byCount = count < 1 ? -1 : offset + count;
        int lastOffset = hasHeader ? memory.getInt(at + BatchFormat.LAST_OFFSET_DELTA) : -1;
        if (isSane
                && lastOffset != count - 1
                && verifier.hasCrcOf(memory, at, byLength, count - 1)) {
            lastOffset = count - 1; // only this number is damaged
        }
        this.byLastOffset = lastOffset < 0 ? -1 : offset + lastOffset + 1;
    }

    /** Returns its first offset. */
    long offset() {
        return offset;
    }

    /** Returns whether its length leads to a position. */
    boolean endsByLengthAt(int p) {
        return p == byLength;
    }

    /** Returns whether it is shown to end at the end of the segment. */
    boolean endsAtEnd() {
        return endsAt(end, endOffset, false);
    }

    /** Returns whether any evidence says that it ends at a position. */
    boolean mayEndAt(int p) {
        return p == byLength || (p == byRecords() && records > 0);
    }

    /**
     * Returns whether it is shown to end at a position.
     *
     * @param found the offset that is stored there
     * @param isRun whether a whole batch with that offset begins there
     */
    boolean endsAt(int p, long found, boolean isRun) {
        if (p - at < BatchFormat.HEADER_LENGTH) {
            return false;
        }
        if (p == byLength) {
            boolean isRight = found == byLastOffset || found == byCount;
            return isRight
                    || hasCrcWith(found)
                    || (isRun && !contradicts(p, found) && !hasCrcUpTo(p));
        }
        return (found == byLastOffset && hasCrcUpTo(p))
                || (p == byRecords() && records > 0 && isAfterRecords(found, isRun));
    }

    /** The last records may be among those that compaction has removed. */
    private boolean isAfterRecords(long found, boolean isWhole) {
        return found == offset + records
                || (found == byLastOffset && found > offset + records)
                || (isWhole && mayFollowRecords(found));
    }

    private boolean mayFollowRecords(long found) {
        boolean hasAll = byCount == offset + records;
        return hasAll
                ? found == byCount || found == byLastOffset
                : found >= offset + records && found <= endOffset;
    }

    /** Returns whether only its last offset is wrong, if an offset comes after it. */
    private boolean hasCrcWith(long found) {
        long delta = found - offset - 1;
        return byLength > 0
                && delta >= 0
                && delta <= Integer.MAX_VALUE
                && verifier.hasCrcOf(memory, at, byLength, (int) delta);
    }

    /**
     * Returns the offset after it, if it is shown to end at a position; −1 otherwise.
     *
     * @param found the offset that is stored there, which may be wrong
     * @param isWhole whether, but for that offset, a whole batch begins there
     */
    long offsetAt(int p, long found, boolean isWhole) {
        boolean isPlace = isWhole || p == byLength || found == byLastOffset;
        if (isPlace && byLastOffset <= endOffset && byLastOffset > 0 && hasCrcUpTo(p)) {
            return byLastOffset;
        }
        if (p == byLength && (found == byLastOffset || found == byCount || hasCrcWith(found))) {
            return found;
        }
        if (p == byLength && isWhole && byLastOffset == byCount) {
            return byCount;
        }
        boolean isLast = p == byRecords() && records > 0;
        if (isLast && isAfterRecords(found, isWhole)) {
            return found;
        }
        return isLast && (isWhole || found == offset + records) ? offset + records : -1;
    }

    /**
     * Returns whether it ends at a position with another offset than the one that is stored there.
     */
    boolean contradicts(int p, long found) {
        return (p == byLength && byLastOffset == byCount && found != byCount)
                || (p == byRecords() && records > 0 && !mayFollowRecords(found));
    }

    private boolean hasCrcUpTo(int p) {
        return verifier.hasCrcOf(memory, at, p);
    }

    /** Returns the position after the records that follow the header. */
    private int byRecords() {
        if (records >= 0) {
            return byRecords;
        }
        RecordParser record = new RecordParser();
        record.pointAt(memory);
        record.batch(0, Integer.MAX_VALUE, 0, false, end);
        int next = at + BatchFormat.HEADER_LENGTH;
        records = 0;
        do {
            byRecords = next;
            next = record.parse(next);
        } while (next >= 0 && goesOn(record));
        return byRecords;
    }

    private boolean goesOn(RecordParser record) {
        boolean ascends = record.offset() >= records;
        records = ascends ? record.offset() + 1 : records;
        return ascends;
    }
}
