package io.firn.store;

import io.firn.batch.BatchFormat;
import io.firn.spi.Mark;
import io.firn.spi.Segment;
import io.firn.spi.SegmentState;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A segment as the log sees it: its place among the offsets and how far it is written, forced and
 * sealed. The block below keeps the bytes.
 *
 * <p>Who writes what: the holder of the append turn {@link #written} and, at the roll, the end; the
 * holder of the force gate {@link #forced} and {@link #sealed}. Readers learn of both through the
 * partition's published offsets.
 */
final class LogSegment {
    static final long OPEN = Long.MAX_VALUE;

    final Segment block;
    final ByteBuffer memory;
    final long epoch;
    final int epochBits;
    final int capacity;

    /** Offset of the first record; set before the segment is published. */
    long baseOffset;
    /** Bytes of batches; published by the partition's next offset. */
    int written;
    /** Bytes that were forced. */
    int forced;
    /** Behind the last record, {@link #OPEN} while more may come. */
    volatile long endOffset = OPEN;
    /** The segment that follows; set before {@link #endOffset}. */
    volatile LogSegment successor;
    /** Sealed durably. */
    volatile boolean sealed;

    private volatile SparseIndex index;
    private volatile View view;
    private long markedOffset = -1;

    /** A segment to be written to. */
    LogSegment(Segment block, long epoch, SparseIndex index) {
        this.block = block;
        this.memory = block.memory();
        this.epoch = epoch;
        this.epochBits = BatchFormat.epochBits(epoch);
        this.capacity = block.capacity();
        this.index = index;
    }

    /** A sealed segment. */
    LogSegment(Segment block, long baseOffset, int length, long endOffset) {
        this.block = block;
        this.memory = null;
        this.epoch = block.mark().epoch();
        this.epochBits = 0;
        this.capacity = length;
        this.baseOffset = baseOffset;
        this.written = length;
        this.forced = length;
        this.endOffset = endOffset;
        this.sealed = true;
    }

    /** The index while it is being filled, or the one that was loaded; null when not loaded. */
    SparseIndex index() {
        return index;
    }

    void index(SparseIndex value) {
        index = value;
    }

    /** Holds the bytes in place; {@link View#unpin} when done. */
    View pin() throws IOException {
        View v = view;
        while (v == null || !v.pin()) {
            v = block.view();
            view = v;
        }
        return v;
    }

    /** Writes down how far the segment is durable, when that is news. Not beside a seal. */
    synchronized void writeMark(int position, long offset) throws IOException {
        if (sealed || offset == markedOffset || block.mark().state() == SegmentState.SEALED) {
            return;
        }
        block.writeMark(block.mark().active(epoch, baseOffset, position, offset));
        markedOffset = offset;
    }

    /** Seals durably; everything was forced. */
    synchronized void seal(long timeMs) throws IOException {
        Mark mark = block.mark().active(epoch, baseOffset, written, endOffset);
        block.seal(mark.sealed(baseOffset, written, endOffset, timeMs));
        sealed = true;
    }

    /** Brings a sealed segment into its final form. */
    void finishSeal() throws IOException {
        SparseIndex complete = index;
        complete.complete();
        block.finishSeal(complete.offsetBytes(), complete.timeBytes());
    }

    boolean contains(long offset) {
        return offset >= baseOffset && offset < endOffset;
    }

    @Override
    public String toString() {
        return block.name();
    }
}
