package io.firn.store;

import io.firn.BatchRun;
import io.firn.Compression;
import io.firn.DamagedRange;
import io.firn.DamagedRangeException;
import io.firn.FirnException;
import io.firn.OffsetOutOfRangeException;
import io.firn.RecordHandler;
import io.firn.TimestampedOffset;
import io.firn.Verdict;
import io.firn.batch.BatchFormat;
import io.firn.batch.BatchVerifier;
import io.firn.batch.RecordFlyweight;
import io.firn.compress.Codecs;
import io.firn.compress.Scratch;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Reads one partition from an offset on. Between polls it remembers its place but holds nothing: a
 * segment is pinned during a poll only.
 */
final class PartitionReader {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** A search during a move may not find the segment; the next one does. */
    private static final int LOOKS = 2;

    private final SegmentedLog log;
    private final BatchVerifier verifier = new BatchVerifier();
    private final RecordFlyweight record = new RecordFlyweight();
    private Scratch compressed;
    private Scratch decompressed;
    private ByteBuffer copy = NOTHING;

    /** The view that is pinned while batches are read. */
    private View pinned;

    private long offset;
    private LogSegment segment;
    private int position;

    // The offset that the batch at the position must have.
    private long base;

    // The batch that is being handed out; batchSize is 0 if there is none.
    private int batchSize;
    private long batchNextOffset;
    private int recordAt;
    private int recordsEnd;
    private ByteBuffer wrapped;
    private ByteBuffer batchBytes;
    private boolean stopped;

    // Whether the handler was called and has not returned.
    private boolean handling;

    PartitionReader(SegmentedLog log) {
        this.log = log;
        this.offset = log.logStartOffset();
    }

    SegmentedLog log() {
        return log;
    }

    long offset() {
        return offset;
    }

    void seek(long to) {
        offset = to;
        segment = null;
        batchSize = 0;
    }

    /** Seeks to the first record that is not older; to the visible end when there is none. */
    void seekToTimestamp(long timestampMs) {
        log.state().checkReadable();
        TimestampedOffset found = new PartitionReader(log).findTimestamp(timestampMs);
        seek(found == null ? log.visibleOffset() : found.offset());
    }

    /** Whether the last poll ended because the handler said so. */
    boolean stopped() {
        return stopped;
    }

    int poll(RecordHandler handler, int limit) {
        stopped = false;
        long visible = log.visibleOffset();
        if (offset >= visible) {
            checkRange();
            return 0;
        }
        log.state().checkReadable();
        checkRange();
        int taken = 0;
        while (taken < limit && offset < visible && !stopped) {
            taken += pollSegment(handler, limit - taken, visible);
        }
        return taken;
    }

    /**
     * Returns whole batches unchanged, starting with the one that contains the offset, and moves
     * past them; null when none is visible, or the first one does not fit.
     */
    BatchRun take(int maxBytes, boolean atLeastOne) {
        log.state().checkReadable();
        long visible = log.visibleOffset();
        checkRange();
        if (offset >= visible) {
            return null;
        }
        while (true) {
            enterSegment();
            View view = pinEntered();
            BatchRun run = null;
            try {
                ByteBuffer memory = view.buffer();
                if (position < 0) {
                    position = find(memory);
                }
                run = take(view, memory, visible, maxBytes, atLeastOne);
                return run;
            } catch (ReusedException e) {
                lookAgain();
            } catch (InternalError e) {
                throw unreadable(e);
            } finally {
                if (run == null) {
                    view.unpin();
                }
            }
        }
    }

    private BatchRun take(
            View view, ByteBuffer memory, long visible, int maxBytes, boolean atLeastOne) {
        int end = segment.written();
        int at = position;
        long next = base;
        int last = -1;
        long lastBase = base;
        while (next < visible && next < segment.endOffset) {
            int size = verifier.checkHeader(memory, at, end, next);
            if (size < 0 && at == position) {
                // Only headers were read so far: a wrong one may have led here.
                position = find(memory);
                at = position;
                next = base;
                size = verifier.checkHeader(memory, at, end, next);
            }
            if (size < 0 && verifier.check(memory, last, end, lastBase) < 0) {
                at = last; // led to a wrong place
                next = lastBase;
                if (at == position) {
                    throw damagedAt(memory, at, verifier.reason());
                }
            }
            boolean fits = at - position <= maxBytes - size || (atLeastOne && at == position);
            if (size < 0 || !fits) {
                break;
            }
            last = at;
            lastBase = next;
            next = BatchFormat.nextOffset(memory, at);
            at += size;
        }
        if (at == position) {
            return null;
        }
        BatchRun run = new LogBatchReader.Run(view, bytesOfRun(memory, at), base, next);
        position = at;
        base = next;
        offset = next;
        return run;
    }

    private ByteBuffer bytesOfRun(ByteBuffer memory, int to) {
        if (!segment.mayBeReused) {
            return memory.slice(position, to - position);
        }
        ByteBuffer bytes = ByteBuffer.allocate(to - position);
        bytes.put(0, memory, position, to - position);
        requireStillThere();
        return bytes.asReadOnlyBuffer();
    }

    private void checkRange() {
        log.state().checkReadable();
        long start = log.logStartOffset();
        if (offset < start || offset > log.nextOffset()) {
            throw new OffsetOutOfRangeException(log.toString(), offset, start, log.nextOffset());
        }
    }

    @SuppressWarnings("ReferenceEquality") // the same bytes mapped elsewhere are another place
    private int pollSegment(RecordHandler handler, int limit, long visible) {
        handling = false;
        enterSegment();
        View view = pinEntered();
        pinned = view;
        record.valid(true);
        int taken = 0;
        try {
            ByteBuffer memory = view.buffer();
            if (position < 0) {
                position = find(memory);
            }
            while (taken < limit && offset < visible && offset < segment.endOffset && !stopped) {
                if (batchSize == 0) {
                    openBatch(memory);
                } else if (batchBytes == null && wrapped != memory) {
                    wrap(memory, view::handOut); // mapped anew since the last poll
                }
                taken += pollBatch(handler, limit - taken);
            }
            return taken;
        } catch (ReusedException e) {
            lookAgain();
            return taken;
        } catch (InternalError e) {
            if (handling && isReadable(view.buffer())) {
                throw e; // thrown by the handler, not by the mapping
            }
            throw unreadable(e);
        } finally {
            record.valid(false); // its bytes may be unmapped from here on
            pinned = null;
            view.unpin();
        }
    }

    /** Whether the batch that is being handed out can be read. */
    private boolean isReadable(ByteBuffer memory) {
        try {
            return verifier.check(memory, position, segment.written(), base) > 0;
        } catch (InternalError e) {
            return false;
        }
    }

    /** The segment that holds the offset; damage when none does. */
    private void enterSegment() {
        // A follower may have lost a segment before it saw its end.
        if (segment != null
                && segment.contains(offset)
                && offset < segment.offsetOf(segment.end())) {
            return;
        }
        segment = log.segmentFor(offset);
        batchSize = 0;
        if (segment == null || segment.baseOffset > offset) {
            checkRange(); // retention may have deleted it meanwhile
            long to = segment == null ? log.visibleOffset() : segment.baseOffset;
            segment = null;
            throw damaged(offset, to, "no segment holds them");
        }
        position = offset == segment.baseOffset ? 0 : -1;
        base = segment.baseOffset;
    }

    /** Looks the segment up again: a follower may have replaced it since the last poll. */
    private View pinEntered() {
        for (int look = 0; ; look++) {
            try {
                return segment.pin();
            } catch (IOException e) {
                if (look == LOOKS) {
                    throw unreadable(e);
                }
                lookAgain();
                enterSegment();
            }
        }
    }

    /** Forgets the position, because the writing process has removed the segment. */
    private void lookAgain() {
        segment = null;
        batchSize = 0;
        log.store().lookAgain();
        checkRange();
    }

    /**
     * Checks that the block still holds the segment; a copy made before may be used only if this
     * returns.
     */
    private void requireStillThere() {
        if (!segment.block.isStillThere()) {
            throw new ReusedException();
        }
    }

    private View pin() {
        try {
            return segment.pin();
        } catch (IOException e) {
            requireStillThere();
            log.store().lookAgain(); // another process may just have deleted it
            checkRange();
            throw unreadable(e);
        }
    }

    private int pollBatch(RecordHandler handler, int limit) {
        int taken = 0;
        while (taken < limit && recordAt < recordsEnd) {
            int next = record.show(recordAt);
            if (next < 0 && offset < batchNextOffset) {
                throw damaged(offset, batchNextOffset, "malformed record");
            }
            if (next < 0) {
                recordAt = recordsEnd; // all of the batch's offsets were handed out
                break;
            }
            if (record.offset() >= offset) {
                handling = true;
                Verdict verdict = handler.onRecord(record);
                handling = false;
                if (verdict == null) {
                    throw new NullPointerException(
                            log
                                    + ": the handler returned null for offset "
                                    + offset
                                    + ", expected CONTINUE, STOP or AGAIN; the record is handed out"
                                    + " again");
                }
                if (verdict == Verdict.AGAIN) {
                    stopped = true;
                    return taken;
                }
                taken++;
                offset = record.offset() + 1;
                stopped = verdict == Verdict.STOP;
            }
            recordAt = next;
            if (stopped) {
                break;
            }
        }
        if (recordAt >= recordsEnd) {
            offset = batchNextOffset;
            base = batchNextOffset;
            position += batchSize;
            batchSize = 0;
        }
        return taken;
    }

    /** Verifies the batch at the position and makes ready to show its records. */
    @SuppressWarnings("ReferenceEquality") // the same bytes mapped elsewhere are another place
    private void openBatch(ByteBuffer memory) {
        boolean copied = segment.mayBeReused;
        int at = copied ? 0 : position;
        int end = copied ? copyBatch(memory) : segment.written();
        ByteBuffer bytes = copied ? copy : memory;
        int size = verifier.check(bytes, at, end, base);
        if (size < 0) {
            throw damagedAt(memory, position, verifier.reason());
        }
        int attributes = bytes.getShort(at + BatchFormat.ATTRIBUTES);
        boolean appendTime = (attributes & BatchFormat.APPEND_TIME_FLAG) != 0;
        long time =
                bytes.getLong(
                        at + (appendTime ? BatchFormat.MAX_TIMESTAMP : BatchFormat.BASE_TIMESTAMP));
        Compression codec = Compression.ofId(attributes & BatchFormat.COMPRESSION_MASK);
        long next = BatchFormat.nextOffset(bytes, at);
        if (codec == Compression.NONE) {
            batchBytes = copied ? bytes : null;
            if (wrapped != bytes) {
                wrap(bytes, copied ? null : pinned::handOut);
            }
            recordAt = at + BatchFormat.HEADER_LENGTH;
            recordsEnd = at + size;
        } else {
            decompress(bytes, at, codec, size, next);
            recordAt = 0;
            recordsEnd = decompressed.length();
        }
        batchSize = size;
        batchNextOffset = next;
        record.batch(log.index(), base, next, time, appendTime, recordsEnd);
    }

    /**
     * Copies the batch at the position, and checks that its segment was still there; returns the
     * batch's size.
     */
    private int copyBatch(ByteBuffer memory) {
        int size = verifier.checkHeader(memory, position, segment.written(), base);
        if (size < 0) {
            throw damagedAt(memory, position, verifier.reason());
        }
        if (copy.capacity() < size) {
            copy = ByteBuffer.allocate(Math.max(size, 2 * copy.capacity()));
        }
        copy.put(0, memory, position, size);
        requireStillThere();
        return size;
    }

    private void wrap(ByteBuffer memory, Runnable onHandOut) {
        record.wrap(memory, onHandOut);
        wrapped = memory;
    }

    private void decompress(ByteBuffer memory, int at, Compression codec, int size, long next) {
        if (compressed == null) {
            compressed = new Scratch(size);
            decompressed = new Scratch(4 * size);
        }
        int length = size - BatchFormat.HEADER_LENGTH;
        memory.get(at + BatchFormat.HEADER_LENGTH, compressed.ensure(length), 0, length);
        try {
            if (codec == null) {
                throw new IOException("unknown compression");
            }
            Codecs.decompress(
                    codec,
                    compressed.bytes(),
                    0,
                    length,
                    decompressed,
                    BatchFormat.MAX_DECOMPRESSED);
        } catch (IOException e) {
            throw damaged(offset, next, e.getMessage());
        }
        batchBytes = ByteBuffer.wrap(decompressed.bytes());
        wrap(batchBytes, null);
    }

    /** Position of the batch that holds the offset. */
    private int find(ByteBuffer memory) {
        SegmentWalk walk = walkTo(memory, offset);
        while (walk.next()) {
            if (walk.toOffset() > offset && !walk.isDamage()) {
                // If its count is damaged, a batch may seem to include the bytes after it.
                int end = segment.written();
                if (verifier.check(memory, walk.position(), end, walk.fromOffset()) < 0) {
                    walk.reject(verifier.reason());
                }
            }
            if (walk.toOffset() > offset) {
                if (walk.isDamage()) {
                    throw damaged(offset, walk.toOffset(), walk.damage());
                }
                base = walk.fromOffset();
                return walk.position();
            }
        }
        throw damaged(offset, segment.endOffset, "the segment ends before them");
    }

    private SegmentWalk walkTo(ByteBuffer memory, long target) {
        return SegmentIndexes.walkTo(segment, indexOf(segment), memory, verifier, target);
    }

    private SparseIndex indexOf(LogSegment of) {
        try {
            return SegmentIndexes.of(of);
        } catch (FirnException e) {
            requireStillThere(); // otherwise there is nothing left to build an index from
            throw e;
        }
    }

    /** The first record with the timestamp or a later one, or null; moves this reader. */
    TimestampedOffset findTimestamp(long timestampMs) {
        while (true) {
            try {
                return findTimestampOnce(timestampMs);
            } catch (ReusedException e) {
                forgetPlace();
            }
        }
    }

    private TimestampedOffset findTimestampOnce(long timestampMs) {
        long visible = log.visibleOffset();
        for (LogSegment candidate : log.segments()) {
            if (isInRange(candidate, visible)) {
                TimestampedOffset found =
                        search(candidate, memory -> findTimestamp(memory, timestampMs, visible));
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private boolean isInRange(LogSegment candidate, long visible) {
        return candidate.endOffset > log.logStartOffset() && candidate.baseOffset < visible;
    }

    /** Searches a segment; moves this reader. */
    private TimestampedOffset search(
            LogSegment in, Function<ByteBuffer, TimestampedOffset> search) {
        segment = in;
        batchSize = 0;
        View view = pin();
        pinned = view;
        try {
            TimestampedOffset found = search.apply(view.buffer());
            if (in.mayBeReused) {
                requireStillThere();
            }
            return found;
        } catch (InternalError e) {
            throw unreadable(e);
        } finally {
            pinned = null;
            view.unpin();
        }
    }

    /**
     * Returns the first visible record with the largest timestamp, or null when none has one; moves
     * this reader.
     */
    TimestampedOffset findLatestTimestamp() {
        while (true) {
            try {
                return findLatestOnce();
            } catch (ReusedException e) {
                forgetPlace();
            }
        }
    }

    /**
     * A segment's index knows its largest timestamp, but that may belong to a record below the log
     * start or not yet visible. So the segments are searched in descending order of that timestamp,
     * until no other segment can have a larger one than was found.
     */
    private TimestampedOffset findLatestOnce() {
        long visible = log.visibleOffset(); // before the indexes, which then contain all below it
        List<LogSegment> candidates = new ArrayList<>();
        Map<LogSegment, Long> largest = new IdentityHashMap<>();
        for (LogSegment candidate : log.segments()) {
            if (isInRange(candidate, visible)) {
                segment = candidate;
                // The index of a segment that another process writes may lack its end.
                boolean grows = candidate.followed && !candidate.sealed;
                long bound = grows ? Long.MAX_VALUE : indexOf(candidate).maxTimestamp();
                largest.put(candidate, bound);
                candidates.add(candidate);
            }
        }
        candidates.sort(
                Comparator.comparing((LogSegment s) -> largest.get(s))
                        .reversed()
                        .thenComparing(s -> s.baseOffset));
        TimestampedOffset latest = null;
        for (LogSegment candidate : candidates) {
            long bound = largest.get(candidate);
            boolean isBeaten = latest != null && latest.timestampMs() > bound;
            if (bound < 0 || isBeaten) {
                break;
            }
            TimestampedOffset found =
                    search(candidate, memory -> findTimestamp(memory, bound, visible));
            if (found == null) {
                found = search(candidate, memory -> findLatest(memory, visible));
            }
            latest = later(latest, found);
        }
        return latest;
    }

    /** The one with the larger timestamp; of two that are equal, the first. */
    private static TimestampedOffset later(TimestampedOffset a, TimestampedOffset b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        if (a.timestampMs() != b.timestampMs()) {
            return a.timestampMs() > b.timestampMs() ? a : b;
        }
        return a.offset() < b.offset() ? a : b;
    }

    /** Searches all visible batches of a segment. */
    private TimestampedOffset findLatest(ByteBuffer memory, long visible) {
        TimestampedOffset latest = null;
        SegmentWalk walk = walkTo(memory, Math.max(log.logStartOffset(), segment.baseOffset));
        while (walk.next() && walk.fromOffset() < visible) {
            long bound = latest == null ? -1 : latest.timestampMs();
            if (walk.isDamage()
                    || walk.maxTimestamp() <= bound
                    || walk.toOffset() <= log.logStartOffset()) {
                continue;
            }
            openAt(memory, walk);
            for (int at = record.show(recordAt); at >= 0; at = record.show(at)) {
                if (record.timestamp() >= 0 && record.offset() >= log.logStartOffset()) {
                    latest =
                            later(
                                    latest,
                                    new TimestampedOffset(record.offset(), record.timestamp()));
                }
                if (at >= recordsEnd) {
                    break;
                }
            }
        }
        return latest;
    }

    private void openAt(ByteBuffer memory, SegmentWalk walk) {
        position = walk.position();
        offset = walk.fromOffset();
        base = offset;
        openBatch(memory);
    }

    private void forgetPlace() {
        segment = null;
        batchSize = 0;
        log.store().lookAgain();
        log.state().checkReadable();
    }

    private TimestampedOffset findTimestamp(ByteBuffer memory, long timestampMs, long visible) {
        long from;
        try {
            from = SegmentIndexes.offsetBefore(segment, memory, verifier, timestampMs);
        } catch (FirnException e) {
            requireStillThere();
            throw e;
        }
        SegmentWalk walk = walkTo(memory, Math.max(from, segment.baseOffset));
        while (walk.next()) {
            if (walk.isDamage()
                    || walk.maxTimestamp() < timestampMs
                    || walk.toOffset() <= log.logStartOffset()) {
                continue;
            }
            if (walk.fromOffset() >= visible) {
                return null;
            }
            openAt(memory, walk);
            int at = recordAt;
            while (at >= 0 && at < recordsEnd) {
                at = record.show(at);
                if (at >= 0
                        && record.timestamp() >= timestampMs
                        && record.offset() >= log.logStartOffset()) {
                    return new TimestampedOffset(record.offset(), record.timestamp());
                }
            }
        }
        return null;
    }

    private RuntimeException damagedAt(ByteBuffer memory, int at, String reason) {
        SegmentWalk walk = segment.walk(memory, at, base);
        walk.resync(at, reason);
        return damaged(offset, walk.toOffset(), reason);
    }

    private RuntimeException damaged(long from, long to, String reason) {
        if (segment != null && !segment.block.isStillThere()) {
            return new ReusedException();
        }
        batchSize = 0;
        segment = null;
        log.addDamage(new DamagedRange(from, to, reason));
        return new DamagedRangeException(log.toString(), from, to, reason);
    }

    private FirnException unreadable(Throwable cause) {
        batchSize = 0;
        return new FirnException(
                log + ": segment " + segment + " cannot be read: " + cause.getMessage(), cause);
    }

    /** What was read is meaningless: another process has reused the block meanwhile. */
    private static final class ReusedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        ReusedException() {
            super(null, null, false, false);
        }
    }
}
