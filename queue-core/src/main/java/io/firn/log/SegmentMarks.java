package io.firn.log;

import io.firn.medium.TwoSlots;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import javax.annotation.concurrent.GuardedBy;

/**
 * What the owner of a segment has durably written about it: marks while it is active, then a seal.
 * Never a mark after the seal. Thread-safe.
 */
public final class SegmentMarks {
    private final LogSegment segment;

    @GuardedBy("this")
    private long markedOffset = -1;

    @GuardedBy("this")
    private long beginTimeMs = -1;

    SegmentMarks(LogSegment segment) {
        this.segment = segment;
    }

    /** Continues after the mark that the present writer, or recovery for it, has written. */
    synchronized void recover() {
        Mark mark = segment.block().mark();
        if (mark.state() == SegmentState.ACTIVE && mark.epoch() == segment.epoch()) {
            markedOffset = mark.offset();
        }
    }

    /**
     * Returns the time at which the segment was begun: by its mark, or else the time of the first
     * call.
     *
     * @param nowMs the present time; a later time in the mark is ignored, because the clock was set
     *     back
     */
    public synchronized long beginTimeMs(long nowMs) {
        if (beginTimeMs < 0 || beginTimeMs > nowMs) {
            long marked = segment.block().mark().beginTimeMs();
            beginTimeMs = marked >= 0 && marked <= nowMs ? marked : nowMs;
        }
        return beginTimeMs;
    }

    /** Returns whether {@link #write} would write. */
    public synchronized boolean isDue() {
        return isNews(segment.forcedEnd());
    }

    @GuardedBy("this")
    private boolean isNews(long pair) {
        return !segment.isSealed()
                && LogSegment.positionOf(pair) > 0
                && segment.offsetOf(pair) != markedOffset
                && segment.block().mark().state() != SegmentState.SEALED;
    }

    /** Writes a mark if the segment is durable further than the last one says. */
    public synchronized void write(long nowMs) throws IOException {
        long pair = segment.forcedEnd();
        if (!isNews(pair)) {
            return;
        }
        long offset = segment.offsetOf(pair);
        int position = LogSegment.positionOf(pair);
        writeActive(position, offset, beginTimeMs(nowMs));
    }

    /**
     * Writes the last mark of this process, when all is forced: with an epoch for the next one,
     * which then has nothing to change before it continues. In both slots, so that the loss of one
     * of them leaves the epoch known.
     */
    public synchronized void writeLast(long freshEpoch, long nowMs) throws IOException {
        long forced = segment.forcedEnd();
        if (segment.isSealed() || LogSegment.positionOf(forced) == 0 || forced != segment.end()) {
            write(nowMs);
            return;
        }
        long begun = beginTimeMs(nowMs);
        Block block = segment.block();
        for (int slot = 0; slot < TwoSlots.COUNT; slot++) {
            block.writeMark(
                    block.mark()
                            .active(
                                    freshEpoch,
                                    segment.baseOffset(),
                                    LogSegment.positionOf(forced),
                                    segment.offsetOf(forced),
                                    begun));
        }
        markedOffset = segment.offsetOf(forced);
    }

    /**
     * Writes a mark before the first batch, so that the segment counts from then on, whatever epoch
     * its batches have (O27).
     */
    public synchronized void writeFirst(long nowMs) throws IOException {
        writeActive(0, segment.baseOffset(), nowMs);
        beginTimeMs = nowMs;
    }

    @GuardedBy("this")
    private void writeActive(int position, long offset, long begun) throws IOException {
        Block block = segment.block();
        block.writeMark(
                block.mark()
                        .active(segment.epoch(), segment.baseOffset(), position, offset, begun));
        markedOffset = offset;
    }

    /** Seals at what is written. */
    synchronized void seal(long timeMs) throws IOException {
        Block block = segment.block();
        SparseIndex index = segment.index(); // complete: nothing is appended any more
        block.seal(
                sealed(block.mark(), segment.written(), segment.endOffset(), timeMs)
                        .withMaxTimestamp(
                                index == null ? Mark.UNKNOWN_TIMESTAMP : index.maxTimestamp()));
    }

    /** Replaces the seal by one that ends earlier. */
    synchronized void shorten(int position, long offset) throws IOException {
        Block block = segment.block();
        Mark mark = block.mark();
        block.shorten(sealed(mark, position, offset, mark.sealTimeMs()));
    }

    private Mark sealed(Mark mark, int position, long offset, long timeMs) {
        return mark.sealed(segment.epoch(), segment.baseOffset(), position, offset, timeMs);
    }
}
