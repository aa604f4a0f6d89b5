package io.firn.read;

import io.firn.FirnException;
import io.firn.IsolationLevel;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.format.BatchVerifier;
import io.firn.format.RecordTimes;
import io.firn.log.LogSegment;
import io.firn.log.SegmentIndexes;
import io.firn.log.SegmentWalk;
import io.firn.log.SegmentedLog;
import io.firn.spi.BlockReader.BlockReusedException;
import io.firn.spi.Mark;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Searches a log for records by their timestamps. For one search. Not thread-safe. */
public final class TimestampSearch {
    private final SegmentedLog log;
    private final IsolationLevel isolation;
    private final BatchCursor cursor;
    private final BatchRecords records;
    private final BatchVerifier verifier = new BatchVerifier();

    /** Of the batch that is open, if it is compressed; null otherwise. */
    private RecordTimes times;

    /** A search of one segment whose memory is pinned. */
    private interface SegmentSearch {
        TimestampedOffset in(View view);
    }

    /**
     * Creates a search.
     *
     * @param isolation where it stops; records of aborted transactions count all the same
     */
    public TimestampSearch(SegmentedLog log, IsolationLevel isolation) {
        this.log = log;
        this.isolation = isolation;
        this.cursor = new BatchCursor(log);
        this.records =
                new BatchRecords(log, new ShownBatches(log, IsolationLevel.READ_UNCOMMITTED));
    }

    /** Returns the first record with the timestamp or a later one, or null. */
    public TimestampedOffset find(long timestampMs) {
        log.state().checkReadable();
        while (true) {
            try {
                return findOnce(timestampMs);
            } catch (BlockReusedException e) {
                lookAgain();
            }
        }
    }

    private TimestampedOffset findOnce(long timestampMs) {
        log.catchUp();
        long visible = log.visibleOffset(isolation);
        for (LogSegment candidate : log.segments()) {
            if (SegmentIndexes.maxTimestamp(candidate) >= timestampMs
                    && isInRange(candidate, visible)) {
                TimestampedOffset found =
                        search(candidate, view -> findFirst(view, timestampMs, visible));
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    /** Returns the first visible record with the largest timestamp, or null when none has one. */
    public TimestampedOffset findLatest() {
        log.state().checkReadable();
        while (true) {
            try {
                return findLatestOnce();
            } catch (BlockReusedException e) {
                lookAgain();
            }
        }
    }

    /**
     * What is known of a segment is an upper limit of its timestamps: the largest may belong to a
     * record below the log start or not yet visible. So the segments are searched in descending
     * order of that limit, until no other segment can have a larger timestamp than was found.
     */
    private TimestampedOffset findLatestOnce() {
        log.catchUp();
        long visible =
                log.visibleOffset(isolation); // before the limits, which then cover all below it
        Set<LogSegment> searched = Collections.newSetFromMap(new IdentityHashMap<>());
        TimestampedOffset latest = null;
        while (true) {
            LogSegment candidate = mostPromising(searched, latest, visible);
            if (candidate == null) {
                return latest;
            }
            searched.add(candidate);
            long limit = findMaxTimestamp(candidate);
            TimestampedOffset found = search(candidate, view -> findFirst(view, limit, visible));
            if (found == null) {
                found = search(candidate, view -> findLatest(view, visible));
            }
            latest = later(latest, found);
        }
    }

    /**
     * Returns the first of the segments with the highest limit that may contain a later timestamp
     * than was found, or an earlier record with the same one; null when there is none.
     */
    private LogSegment mostPromising(
            Set<LogSegment> searched, TimestampedOffset latest, long visible) {
        LogSegment best = null;
        long most = -1;
        for (LogSegment candidate : log.segments()) {
            if (!isInRange(candidate, visible) || searched.contains(candidate)) {
                continue;
            }
            long limit = findMaxTimestamp(candidate);
            boolean isBeaten =
                    latest != null
                            && (limit < latest.timestampMs()
                                    || (limit == latest.timestampMs()
                                            && candidate.baseOffset() > latest.offset()));
            if (limit > most && !isBeaten) {
                best = candidate;
                most = limit;
            }
        }
        return best;
    }

    /** Returns a limit of the timestamps in a segment, which may take a look at all batches. */
    private long findMaxTimestamp(LogSegment candidate) {
        long limit = SegmentIndexes.maxTimestamp(candidate);
        // Unless another process writes it: what could be read now may lack its end.
        boolean isKnowable = limit == Mark.UNKNOWN_TIMESTAMP && candidate.isSealed();
        return isKnowable ? cursor.rebuiltIndexOf(candidate).maxTimestamp() : limit;
    }

    /** Another process has removed a segment: the search begins anew with those that there are. */
    private void lookAgain() {
        log.store().lookAgain();
        log.state().checkReadable();
    }

    private boolean isInRange(LogSegment candidate, long visible) {
        return candidate.endOffset() > log.logStartOffset() && candidate.baseOffset() < visible;
    }

    private TimestampedOffset search(LogSegment in, SegmentSearch search) {
        View view = cursor.pin(in);
        try {
            TimestampedOffset found = search.in(view);
            cursor.reader().confirm(); // also that there is no such record
            return found;
        } catch (InternalError e) {
            throw cursor.unreadable(e);
        } finally {
            cursor.unpin(view);
        }
    }

    /** Returns the first visible record of a segment with the timestamp or a later one, or null. */
    private TimestampedOffset findFirst(View view, long timestampMs, long visible) {
        long from = offsetBefore(view.buffer(), timestampMs);
        SegmentWalk walk = walkFrom(view, from);
        while (walk.next()) {
            if (walk.isDamage()
                    || walk.maxTimestamp() < timestampMs
                    || walk.toOffset() <= log.logStartOffset()) {
                continue;
            }
            if (walk.fromOffset() >= visible) {
                return null;
            }
            open(walk, view);
            try {
                while (next()) {
                    if (timestamp() >= timestampMs && offset() >= log.logStartOffset()) {
                        return new FoundTimestamp(offset(), timestamp());
                    }
                }
            } finally {
                closeTimes();
            }
        }
        return null;
    }

    private long offsetBefore(ByteBuffer memory, long timestampMs) {
        LogSegment segment = cursor.segment();
        try {
            return SegmentIndexes.offsetBefore(segment, memory, verifier, timestampMs);
        } catch (FirnException e) {
            cursor.reader().confirm();
            throw e;
        }
    }

    /** Returns the first visible record of a segment with its largest timestamp, or null. */
    private TimestampedOffset findLatest(View view, long visible) {
        TimestampedOffset latest = null;
        SegmentWalk walk = walkFrom(view, log.logStartOffset());
        while (walk.next() && walk.fromOffset() < visible) {
            long bound = latest == null ? -1 : latest.timestampMs();
            if (walk.isDamage()
                    || walk.maxTimestamp() <= bound
                    || walk.toOffset() <= log.logStartOffset()) {
                continue;
            }
            open(walk, view);
            try {
                while (next()) {
                    if (timestamp() >= 0 && offset() >= log.logStartOffset()) {
                        latest = later(latest, new FoundTimestamp(offset(), timestamp()));
                    }
                }
            } finally {
                closeTimes();
            }
        }
        return latest;
    }

    private SegmentWalk walkFrom(View view, long offset) {
        return cursor.walkTo(view.buffer(), Math.max(offset, cursor.segment().baseOffset()));
    }

    private void open(SegmentWalk walk, View view) {
        cursor.goTo(walk.position(), walk.fromOffset());
        times = records.openTimes(cursor, view);
    }

    /** Moves to the next record of the batch; false after the last. */
    private boolean next() {
        if (times == null) {
            int next = records.hasNext() ? records.show() : -1;
            records.moveTo(next);
            return next >= 0;
        }
        try {
            return times.next();
        } catch (IOException e) {
            throw cursor.damaged(records.nextOffset(), e.getMessage());
        }
    }

    private long offset() {
        return times == null ? records.record().offset() : times.offset();
    }

    private long timestamp() {
        return times == null ? records.record().timestamp() : times.timestamp();
    }

    /** Every batch is closed before the next one is opened: codecs have memory outside the heap. */
    private void closeTimes() {
        if (times != null) {
            try {
                times.close();
            } catch (IOException e) {
                throw cursor.damaged(records.nextOffset(), e.getMessage());
            } finally {
                times = null;
            }
        }
        records.closeTimes();
    }

    /** Returns the one with the larger timestamp; of two that are equal, the first. */
    private static TimestampedOffset later(TimestampedOffset a, TimestampedOffset b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        if (a.timestampMs() != b.timestampMs()) {
            return a.timestampMs() > b.timestampMs() ? a : b;
        }
        return a.offset() < b.offset() ? a : b;
    }
}
