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
import io.firn.batch.Scratch;
import io.firn.compress.Codecs;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads one partition from an offset on. It remembers a place in a segment between polls and holds
 * nothing: the segment is pinned during a poll only.
 */
final class PartitionReader {
    private final PartitionLog log;
    private final BatchVerifier verifier = new BatchVerifier();
    private final RecordFlyweight record = new RecordFlyweight();
    private Scratch compressed;
    private Scratch decompressed;

    private long offset;
    private LogSegment segment;
    private int position;

    // Offset that the batch at the position must have.
    private long base;

    // The batch that is being handed out; batchSize 0 for none.
    private int batchSize;
    private long batchNextOffset;
    private int recordAt;
    private int recordsEnd;
    private ByteBuffer wrapped;
    private ByteBuffer batchBytes;
    private boolean stopped;

    PartitionReader(PartitionLog log) {
        this.log = log;
        this.offset = log.logStartOffset();
    }

    PartitionLog log() {
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
     * Takes whole batches, as they lie, from the one that holds the offset on, and moves behind
     * them; null when there is none to be seen, or the first one does not fit.
     */
    BatchRun take(int maxBytes, boolean atLeastOne) {
        log.state().checkReadable();
        long visible = log.visibleOffset();
        checkRange();
        if (offset >= visible) {
            return null;
        }
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
        } catch (InternalError e) {
            throw unreadable(e);
        } finally {
            if (run == null) {
                view.unpin();
            }
        }
    }

    private BatchRun take(
            View view, ByteBuffer memory, long visible, int maxBytes, boolean atLeastOne) {
        int end = segment.written();
        int at = position;
        long next = base;
        while (next < visible && next < segment.endOffset) {
            int size = verifier.checkHeader(memory, at, end, next);
            if (size < 0 && at == position) {
                throw damagedAt(memory, at, verifier.reason());
            }
            boolean fits = at - position <= maxBytes - size || (atLeastOne && at == position);
            if (size < 0 || !fits) {
                break;
            }
            next = BatchFormat.nextOffset(memory, at);
            at += size;
        }
        if (at == position) {
            return null;
        }
        BatchRun run =
                new LogBatchReader.Run(view, memory.slice(position, at - position), base, next);
        position = at;
        base = next;
        offset = next;
        return run;
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
        enterSegment();
        View view = pinEntered();
        try {
            ByteBuffer memory = view.buffer();
            if (position < 0) {
                position = find(memory);
            }
            int taken = 0;
            while (taken < limit && offset < visible && offset < segment.endOffset && !stopped) {
                if (batchSize == 0) {
                    openBatch(memory);
                } else if (batchBytes == null && wrapped != memory) {
                    wrap(memory); // mapped anew since the last poll
                }
                taken += pollBatch(handler, limit - taken);
            }
            return taken;
        } catch (InternalError e) {
            throw unreadable(e);
        } finally {
            view.unpin();
        }
    }

    /** The segment that holds the offset; damage when none does. */
    private void enterSegment() {
        // A follower may have lost sight of a segment before it saw where it ends.
        if (segment != null
                && segment.contains(offset)
                && offset < segment.offsetOf(segment.end())) {
            return;
        }
        segment = log.segmentFor(offset);
        batchSize = 0;
        if (segment == null || segment.baseOffset > offset) {
            checkRange(); // retention may have come in between
            long to = segment == null ? log.visibleOffset() : segment.baseOffset;
            segment = null;
            throw damaged(offset, to, "no segment holds them");
        }
        position = offset == segment.baseOffset ? 0 : -1;
        base = segment.baseOffset;
    }

    /** A follower may have found the segment anew since the last poll. */
    private View pinEntered() {
        try {
            return segment.pin();
        } catch (IOException e) {
            log.store().lookAgain();
            checkRange();
            segment = null;
            enterSegment();
            return pin();
        }
    }

    private View pin() {
        try {
            return segment.pin();
        } catch (IOException e) {
            log.store().lookAgain(); // another process may have deleted it just now
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
                Verdict verdict = handler.onRecord(record);
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
        int end = segment.written();
        int size = verifier.check(memory, position, end, base);
        if (size < 0) {
            throw damagedAt(memory, position, verifier.reason());
        }
        int attributes = memory.getShort(position + BatchFormat.ATTRIBUTES);
        boolean appendTime = (attributes & BatchFormat.APPEND_TIME_FLAG) != 0;
        long time =
                memory.getLong(
                        position
                                + (appendTime
                                        ? BatchFormat.MAX_TIMESTAMP
                                        : BatchFormat.BASE_TIMESTAMP));
        Compression codec = Compression.ofId(attributes & BatchFormat.COMPRESSION_MASK);
        long next = BatchFormat.nextOffset(memory, position);
        if (codec == Compression.NONE) {
            batchBytes = null;
            if (wrapped != memory) {
                wrap(memory);
            }
            recordAt = position + BatchFormat.HEADER_LENGTH;
            recordsEnd = position + size;
        } else {
            decompress(memory, codec, size, next);
            recordAt = 0;
            recordsEnd = decompressed.length();
        }
        batchSize = size;
        batchNextOffset = next;
        record.batch(log.index(), base, next, time, appendTime, recordsEnd);
    }

    private void wrap(ByteBuffer memory) {
        record.wrap(memory);
        wrapped = memory;
    }

    private void decompress(ByteBuffer memory, Compression codec, int size, long next) {
        if (compressed == null) {
            compressed = new Scratch(size);
            decompressed = new Scratch(4 * size);
        }
        int length = size - BatchFormat.HEADER_LENGTH;
        memory.get(position + BatchFormat.HEADER_LENGTH, compressed.ensure(length), 0, length);
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
        wrap(batchBytes);
    }

    /** Position of the batch that holds the offset. */
    private int find(ByteBuffer memory) {
        SegmentWalk walk = walkTo(memory, offset);
        while (walk.next()) {
            if (walk.toOffset() > offset && !walk.isDamage()) {
                // A damaged count may make a batch seem to hold what lies behind it.
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
        long endOffset = Math.min(segment.endOffset, log.nextOffset());
        return SegmentIndexes.walkTo(
                segment, SegmentIndexes.of(segment), memory, verifier, target, endOffset);
    }

    /** The first record with the timestamp or a later one, or null; moves this reader. */
    TimestampedOffset findTimestamp(long timestampMs) {
        long visible = log.visibleOffset();
        for (LogSegment candidate : log.segments()) {
            if (candidate.endOffset <= log.logStartOffset() || candidate.baseOffset >= visible) {
                continue;
            }
            segment = candidate;
            View view = pin();
            try {
                TimestampedOffset found = findTimestamp(view.buffer(), timestampMs, visible);
                if (found != null) {
                    return found;
                }
            } catch (InternalError e) {
                throw unreadable(e);
            } finally {
                view.unpin();
            }
        }
        return null;
    }

    private TimestampedOffset findTimestamp(ByteBuffer memory, long timestampMs, long visible) {
        long from = SegmentIndexes.offsetBefore(segment, memory, verifier, timestampMs);
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
            position = walk.position();
            offset = walk.fromOffset();
            base = offset;
            openBatch(memory);
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

    private DamagedRangeException damagedAt(ByteBuffer memory, int at, String reason) {
        long endOffset = Math.min(segment.endOffset, log.nextOffset());
        SegmentWalk walk = new SegmentWalk(memory, at, base, segment.written(), endOffset);
        walk.resync(at, reason);
        return damaged(offset, walk.toOffset(), reason);
    }

    private DamagedRangeException damaged(long from, long to, String reason) {
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
}
