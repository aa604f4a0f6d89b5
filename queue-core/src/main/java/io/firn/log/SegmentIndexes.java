package io.firn.log;

import io.firn.MediumException;
import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.format.BatchWalk;
import io.firn.medium.GuardedLog;
import io.firn.spi.Block;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.Mark;
import io.firn.spi.View;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;

/**
 * Finds a segment's sparse index: the one that the writer fills, the sidecar of the sealed segment,
 * or one rebuilt from the batches when the sidecar is missing or wrong.
 */
public final class SegmentIndexes {
    private static final GuardedLog LOG = GuardedLog.get();

    private SegmentIndexes() {}

    public static SparseIndex of(LogSegment segment) {
        SparseIndex index = segment.index();
        if (index != null) {
            return index;
        }
        try {
            index =
                    SparseIndex.ofBytes(
                            segment.block().readSidecar(Sidecar.INDEX),
                            segment.block().readSidecar(Sidecar.TIMEINDEX),
                            segment.written());
        } catch (IOException e) {
            index = null; // derived data: rebuilt below
        }
        if (index == null) {
            return rebuild(segment);
        }
        segment.index(index);
        return index;
    }

    /**
     * Returns an upper limit of the timestamps in a segment, {@link Mark#UNKNOWN_TIMESTAMP} if
     * there is none. Of a segment that is written it includes all batches that the caller can see.
     * Never taken from a sidecar that may be damaged.
     */
    public static long maxTimestamp(LogSegment segment) {
        long limit = segment.maxTimestamp();
        if (limit != Mark.UNKNOWN_TIMESTAMP) {
            return limit;
        }
        if (!segment.isSealed()) {
            SparseIndex index = segment.isFollowed() ? null : segment.index();
            return index == null ? Mark.UNKNOWN_TIMESTAMP : index.maxTimestamp();
        }
        Block block = segment.block();
        limit = block.mark().maxTimestamp();
        if (limit == Mark.UNKNOWN_TIMESTAMP && block.verifiesSidecars()) {
            limit = readMaxTimestamp(block);
        }
        segment.maxTimestamp(limit);
        return limit;
    }

    private static long readMaxTimestamp(Block block) {
        try {
            byte[] times = block.readSidecar(Sidecar.TIMEINDEX);
            return times == null ? Mark.UNKNOWN_TIMESTAMP : SparseIndex.lastTime(times);
        } catch (IOException e) {
            return Mark.UNKNOWN_TIMESTAMP; // the search meets it again where it is reported
        }
    }

    /** Builds the index from the batches' headers. */
    public static SparseIndex rebuild(LogSegment segment) {
        boolean wasSealed = segment.isSealed();
        try {
            View view = segment.pin();
            try {
                SparseIndex index = build(segment, view.buffer());
                if (segment.isSealed() && segment.block().isFinished() && !segment.isFollowed()) {
                    index.complete();
                    write(segment, index);
                }
                segment.index(index);
                if (wasSealed) {
                    segment.maxTimestamp(index.maxTimestamp());
                } else if (segment.isSealed() && segment.isFollowed()) {
                    segment.index(null); // it is complete only now
                }
                return index;
            } finally {
                view.unpin();
            }
        } catch (IOException e) {
            throw new MediumException("the index of " + segment + " cannot be made", e);
        }
    }

    /** On a full disk it stays in memory: what needs it can be read, and deleted. */
    private static void write(LogSegment segment, SparseIndex index) {
        try {
            segment.block().rewriteSidecar(Sidecar.INDEX, index.offsetBytes());
            segment.block().rewriteSidecar(Sidecar.TIMEINDEX, index.timeBytes());
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "the index of {0} is not written: {1}", segment, e);
        }
    }

    private static SparseIndex build(LogSegment segment, ByteBuffer memory) {
        SparseIndex index = new SparseIndex(segment.capacity());
        SegmentWalk walk = segment.walk(memory, 0, segment.baseOffset());
        while (walk.next()) {
            if (!walk.isDamage()) {
                int lastOffset = (int) (walk.toOffset() - segment.baseOffset() - 1);
                index.onBatch(walk.position(), walk.size(), lastOffset, walk.maxTimestamp());
            }
        }
        return index;
    }

    /**
     * Returns an offset before which all timestamps are smaller. An entry is trusted if a batch
     * ends at its offset and has its timestamp.
     */
    public static long offsetBefore(
            LogSegment segment, ByteBuffer memory, BatchVerifier verifier, long timestampMs) {
        SparseIndex index = of(segment);
        int entry = index.timeBefore(timestampMs);
        if (entry >= 0 && !names(segment, memory, verifier, index, entry)) {
            index = rebuild(segment);
            entry = index.timeBefore(timestampMs);
        }
        return segment.baseOffset() + (entry < 0 ? 0 : index.timeOffset(entry));
    }

    private static boolean names(
            LogSegment segment,
            ByteBuffer memory,
            BatchVerifier verifier,
            SparseIndex index,
            int entry) {
        long target = segment.baseOffset() + index.timeOffset(entry);
        SegmentWalk walk = walkTo(segment, of(segment), memory, verifier, target);
        while (walk.next()) {
            if (walk.toOffset() > target) {
                return !walk.isDamage()
                        && walk.toOffset() == target + 1
                        && walk.maxTimestamp() == index.time(entry);
            }
        }
        return false;
    }

    /**
     * Returns a walk from the last indexed batch at or before an offset. An index entry is trusted
     * if a valid batch is at its position and ends at its offset: the batch's CRC does not cover
     * the base offset.
     */
    public static SegmentWalk walkTo(
            LogSegment segment,
            SparseIndex index,
            ByteBuffer memory,
            BatchVerifier verifier,
            long target) {
        int end = Math.min(segment.written(), memory.capacity());
        int entry = index.entryBefore((int) (target - segment.baseOffset()));
        if (entry >= 0 && index.position(entry) <= end - BatchFormat.HEADER_LENGTH) {
            int at = index.position(entry);
            long base = memory.getLong(at);
            long next = segment.baseOffset() + index.lastOffset(entry) + 1;
            if (verifier.check(memory, at, end, base) > 0
                    && BatchFormat.nextOffset(memory, at) == next) {
                return segment.walk(memory, at, base);
            }
            if (segment.isSealed() && segment.block().isFinished()) {
                rebuild(segment);
            }
        }
        return segment.walk(memory, 0, segment.baseOffset());
    }

    /**
     * Steps to the last indexed batch that begins at or before a position and ends at or before an
     * offset, without reading the index from its file. The bytes before it must be a sequence of
     * batches.
     *
     * @return false when there is none ahead of the walk, or the batch there is another one than
     *     the index says: the walk did not move
     */
    public static boolean skipTo(LogSegment segment, BatchWalk walk, int position, long offset) {
        SparseIndex index = segment.index();
        if (index == null) {
            return false;
        }
        int entry = index.entryBefore((int) (offset - 1 - segment.baseOffset()), position);
        return entry >= 0
                && walk.nextAt(
                        index.position(entry), segment.baseOffset() + index.lastOffset(entry) + 1);
    }
}
