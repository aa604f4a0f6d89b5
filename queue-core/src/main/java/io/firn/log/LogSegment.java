package io.firn.log;

import io.firn.format.BatchFormat;
import io.firn.move.SegmentMove;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.View;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * A segment as the log sees it: its range of offsets, and how far it is written, forced and sealed.
 * The block below holds the bytes; once the segment is sealed, the block may be exchanged for one
 * in another tier (see {@link SegmentMove}), and readers continue at the same position in the same
 * bytes.
 *
 * <p>The holder of the append turn updates how far it is written and, at the roll, the end offset;
 * the holder of the force gate updates how far it is forced and that it is sealed. Both become
 * visible to readers through the partition's published offsets.
 */
public final class LogSegment {
    public static final long OPEN = Long.MAX_VALUE;

    /** The zero bytes that follow the last batch, so that no stale batch continues it. */
    public static final int TAIL_ZEROS = 12;

    private static final VarHandle STAGE;
    private static final VarHandle VIEW;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STAGE = lookup.findVarHandle(LogSegment.class, "stage", SegmentStage.class);
            VIEW = lookup.findVarHandle(LogSegment.class, "view", View.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public volatile Block block;

    /** The memory that the writer stores to; null when this process never wrote the segment. */
    public ByteBuffer memory;

    /** Whether batches are written by calls, see {@link Block#isWrittenByCalls}. */
    public final boolean isWrittenByCalls;

    public final long epoch;
    public final int epochBits;
    public final int capacity;

    /** Whether the store is open read-only: nothing is written, not even derived data. */
    public final boolean followed;

    /** Up to here space was prepared before the segment was handed to the writer. */
    public int preparedTo;

    /** Offset of the first record; set before the segment is published. */
    public long baseOffset;

    // How far it is written and forced: a position and, in the upper half, the offset there minus
    // the base. In one long, because the two must never be seen apart.
    private final PublishedLong end = new PublishedLong(0);
    private final PublishedLong forcedEnd = new PublishedLong(0);

    /** The offset after the last record; {@link #OPEN} while more may come. */
    public volatile long endOffset = OPEN;

    /** Whether it is durably sealed. */
    public volatile boolean sealed;

    private volatile long firstSeenMs = Long.MAX_VALUE;

    /** The index of the tier to which it is being moved; −1 for none. */
    public volatile int movingTo = -1;

    /** Whether it was moved and its old block is not freed yet, because it may still be read. */
    public volatile boolean lingers;

    /**
     * Whether the epochs in its batches are another log's, so that its mark says nothing of them.
     */
    private boolean hasForeignEpochs;

    private volatile SegmentStage stage = SegmentStage.STAYING;
    private volatile SparseIndex index;
    private volatile View view;
    private View held;
    private volatile Runnable onView;

    private final SegmentMarks marks = new SegmentMarks(this);

    /** Creates a segment to be written to. */
    public LogSegment(Block block, long epoch, SparseIndex index) {
        this.block = block;
        this.memory = block.memory();
        this.isWrittenByCalls = block.isWrittenByCalls();
        this.epoch = epoch;
        this.epochBits = BatchFormat.epochBits(epoch);
        this.capacity = block.capacity();
        this.index = index;
        this.followed = false;
        marks.recover();
    }

    /** Creates a segment that is only read, while another process may write it. */
    public LogSegment(Block block, long baseOffset) {
        this.block = block;
        this.memory = null;
        this.isWrittenByCalls = false;
        this.epoch = block.mark().epoch();
        this.epochBits = 0;
        this.capacity = block.capacity();
        this.baseOffset = baseOffset;
        this.followed = true;
    }

    /** Creates a sealed segment. */
    public LogSegment(Block block, long baseOffset, int length, long endOffset) {
        this.block = block;
        this.memory = null;
        this.isWrittenByCalls = false;
        this.epoch = block.mark().epoch();
        this.epochBits = 0;
        this.capacity = length;
        this.baseOffset = baseOffset;
        this.followed = false;
        setWritten(length, endOffset);
        forcedEnd.set(end.get());
        this.endOffset = endOffset;
        this.sealed = true;
    }

    /** Position after the last batch. */
    public int written() {
        return (int) end.getOpaque();
    }

    /** How far it is written, as a pair; see {@link #positionOf} and {@link #offsetOf}. */
    public long end() {
        return end.get();
    }

    /** Notes that the batches end at a position, and the next offset there. */
    public void setWritten(int position, long nextOffset) {
        setEnd((nextOffset - baseOffset) << 32 | position);
    }

    /** Notes that the batches end at a pair. */
    public void setEnd(long pair) {
        end.set(pair);
    }

    /**
     * As {@link #setEnd}, unless more is known already; for several threads that follow a writer.
     */
    public void raiseEnd(long pair) {
        long known = end.get();
        while (pair > known && !end.replace(known, pair)) {
            known = end.get();
        }
    }

    /** As {@link #raiseEnd(long)}. */
    public void raiseEnd(int position, long nextOffset) {
        raiseEnd((nextOffset - baseOffset) << 32 | position);
    }

    /**
     * Notes that its block has no bytes from a position on. The offset at its end stays: what is
     * missing is damage, as it is when a writer finds it at open.
     */
    public void loseFrom(int position) {
        long known = end.get();
        while (positionOf(known) > position && !end.replace(known, known >>> 32 << 32 | position)) {
            known = end.get();
        }
    }

    /** How far it is forced, as a pair. */
    public long forcedEnd() {
        return forcedEnd.get();
    }

    public void setForcedEnd(long pair) {
        forcedEnd.set(pair);
    }

    public static int positionOf(long pair) {
        return (int) pair;
    }

    public long offsetOf(long pair) {
        return baseOffset + (pair >>> 32);
    }

    /** The index that is being filled or was loaded; null when it is not loaded. */
    public SparseIndex index() {
        return index;
    }

    public void index(SparseIndex value) {
        index = value;
    }

    /**
     * Holds the bytes for the writer that will take the segment, so that they cannot be unmapped
     * before its first store.
     */
    public void hold() throws IOException {
        held = pin();
    }

    /** Passes the hold to the caller, which has taken the segment. */
    public View takeHold() {
        View hold = held;
        held = null;
        return hold;
    }

    /**
     * Returns a walk over the written batches in a view, starting at a batch whose offset is known.
     */
    public SegmentWalk walk(ByteBuffer bytes, int at, long offset) {
        long pair = end();
        int to = Math.min(positionOf(pair), bytes.capacity()); // its file may have lost its end
        int lastEpoch = hasForeignEpochs ? -1 : lastEpochBits(block);
        return new SegmentWalk(bytes, at, offset, to, offsetOf(pair), lastEpoch);
    }

    /** Notes whether it is of a replicated topic; before another thread sees it. */
    public LogSegment ofReplica(boolean isReplica) {
        hasForeignEpochs = isReplica;
        return this;
    }

    /** The low bits of the epoch of a segment's last batch, as its mark says; −1 when unknown. */
    public static int lastEpochBits(Block of) {
        Mark mark = of.mark();
        return mark == null || mark.epoch() < 0 ? -1 : BatchFormat.epochBits(mark.epoch());
    }

    /** Pins the bytes; call {@link View#unpin} when done. */
    public View pin() throws IOException {
        View v = view;
        while (v == null || !v.pin()) {
            v = viewOf(block);
            view = v;
            Runnable told = onView;
            if (told != null) {
                told.run();
            }
        }
        return v;
    }

    /** Sets what is called when a view is mapped. */
    void onView(Runnable told) {
        onView = told;
    }

    /** Whether a reader has mapped it since its view was last released. */
    public boolean hasView() {
        return view != null;
    }

    /** The block's view; null when the block was exchanged meanwhile. */
    @SuppressWarnings("ReferenceEquality") // this very block
    private View viewOf(Block from) throws IOException {
        try {
            return from.view();
        } catch (IOException e) {
            if (from == block) {
                throw e;
            }
            return null;
        }
    }

    /** Changes the stage, if it is the expected one; this decides between a deletion and a move. */
    public boolean enter(SegmentStage from, SegmentStage to) {
        return STAGE.compareAndSet(this, from, to);
    }

    /** Whether a deletion has claimed it. */
    public boolean isDoomed() {
        return stage == SegmentStage.DOOMED;
    }

    /**
     * Claims the segment for deletion: a move in progress gives up.
     *
     * @return false while a copy is being published: try again later
     */
    public boolean doom() {
        return isDoomed()
                || enter(SegmentStage.STAYING, SegmentStage.DOOMED)
                || enter(SegmentStage.MOVING, SegmentStage.DOOMED);
    }

    /**
     * Replaces the block with one that has the same bytes.
     *
     * @return the old block's view, retired; null when there was none
     */
    public View exchange(Block copy) {
        Block old = block;
        block = copy;
        view = null; // a reader may bring the old one back; being retired, it gives no pin
        index = null; // the copy has it
        View last = old.detachView();
        if (last != null) {
            last.retire();
        }
        return last;
    }

    /** What is durably written about it. */
    public SegmentMarks marks() {
        return marks;
    }

    /** Ends a sealed segment earlier, durably; nobody reads behind its new end. */
    public void cutTo(int position, long offset) throws IOException {
        endOffset = offset;
        setWritten(position, offset);
        forcedEnd.set(end.get());
        marks.shorten(position, offset);
        SegmentIndexes.rebuild(this);
    }

    /** Seals durably; everything must have been forced. */
    public void seal(long timeMs) throws IOException {
        marks.seal(timeMs);
        sealed = true;
    }

    /**
     * Returns when it was first seen by the present clock, see {@link SealTimes}. Threads that look
     * at the same time differ by as much as their clocks.
     */
    long firstSeenMs(long nowMs) {
        long seen = Math.min(firstSeenMs, nowMs); // the clock may have been set back once more
        firstSeenMs = seen;
        return seen;
    }

    /** Brings a sealed segment into its final form. */
    public void finishSeal() throws IOException {
        SparseIndex complete = SegmentIndexes.of(this);
        complete.complete();
        block.finishSeal(complete.offsetBytes(), complete.timeBytes());
    }

    /**
     * Removes the readers' view if nobody used it since the last call, and the index, which is read
     * again when somebody comes; null when it is in use.
     */
    public View detachIdleView() {
        View v = view;
        if (v == null || v.testAndClearUsed()) {
            return null;
        }
        index = null;
        View detached = detachView();
        VIEW.compareAndSet(this, v, null); // unless a reader has mapped another one
        return detached;
    }

    /** Removes the readers' view; null when there is none. */
    public View detachView() {
        View v = block.detachView();
        if (v != null) {
            memory = null; // the segment is finished, and both would keep a mapping reachable
            view = null;
            v.retire();
        }
        return v;
    }

    public boolean contains(long offset) {
        return offset >= baseOffset && offset < endOffset;
    }

    @Override
    public String toString() {
        return block.name();
    }
}
