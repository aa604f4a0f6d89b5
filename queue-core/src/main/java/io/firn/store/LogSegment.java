package io.firn.store;

import io.firn.batch.BatchFormat;
import io.firn.spi.Mark;
import io.firn.spi.Segment;
import io.firn.spi.SegmentState;
import io.firn.spi.View;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * A segment as the log sees it: its place among the offsets and how far it is written, forced and
 * sealed. The block below keeps the bytes; once sealed, it may be exchanged for one in another tier
 * (see {@link SegmentMove}), and whoever reads goes on at the same place in the same bytes.
 *
 * <p>Who writes what: the holder of the append turn how far it is written and, at the roll, the end
 * offset; the holder of the force gate how far it is forced, and that it is sealed. Readers learn
 * of both through the partition's published offsets.
 */
final class LogSegment {
    static final long OPEN = Long.MAX_VALUE;
    private static final VarHandle END;
    private static final VarHandle FORCED_END;
    private static final VarHandle STAGE;
    private static final VarHandle VIEW;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            END = lookup.findVarHandle(LogSegment.class, "end", long.class);
            FORCED_END = lookup.findVarHandle(LogSegment.class, "forcedEnd", long.class);
            STAGE = lookup.findVarHandle(LogSegment.class, "stage", Stage.class);
            VIEW = lookup.findVarHandle(LogSegment.class, "view", View.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How far a move to another tier has come, and whether a deletion was faster. */
    enum Stage {
        STAYING,
        /** Being copied; whoever wants to delete it may. */
        MOVING,
        /** The copy is being published: a deletion comes after that. */
        PUBLISHING,
        /** To be deleted; no move begins or is published any more. */
        DOOMED
    }

    volatile Segment block;

    /** What the writer stores to; null when the segment was never written by this process. */
    ByteBuffer memory;

    final long epoch;
    final int epochBits;
    final int capacity;

    /** Belongs to a store that is open read-only: nothing is written, not even what is derived. */
    final boolean followed;

    /** Its bytes may become another segment's, see {@link Segment#mayBeReused}. */
    final boolean mayBeReused;

    /** Offset of the first record; set before the segment is published. */
    long baseOffset;

    // How far it is written and forced: a position and, in the upper half, the offset there less
    // the base. In one long, because the two must never be seen apart.
    private volatile long end;
    private volatile long forcedEnd;

    /** Behind the last record, {@link #OPEN} while more may come. */
    volatile long endOffset = OPEN;

    /** Sealed durably. */
    volatile boolean sealed;

    /** Index of the tier that it is on its way to; −1 for none. */
    volatile int movingTo = -1;

    /** Moved, and the block that it left is not freed yet: it may still be read. */
    volatile boolean lingers;

    private volatile Stage stage = Stage.STAYING;
    private volatile SparseIndex index;
    private volatile View view;
    private View held;
    private volatile IdleViews onView;
    private long markedOffset = -1;
    private long beginTimeMs = -1;

    /** A segment to be written to. */
    LogSegment(Segment block, long epoch, SparseIndex index) {
        this.block = block;
        this.memory = block.memory();
        this.epoch = epoch;
        this.epochBits = BatchFormat.epochBits(epoch);
        this.capacity = block.capacity();
        this.index = index;
        this.followed = false;
        this.mayBeReused = false;
        Mark mark = block.mark();
        if (mark.state() == SegmentState.ACTIVE && mark.epoch() == epoch) {
            this.markedOffset = mark.offset();
        }
    }

    /** A segment that is only read, while another process may write it. */
    LogSegment(Segment block, long baseOffset) {
        this.block = block;
        this.memory = null;
        this.epoch = block.mark().epoch();
        this.epochBits = 0;
        this.capacity = block.capacity();
        this.baseOffset = baseOffset;
        this.followed = true;
        this.mayBeReused = block.mayBeReused();
    }

    /** A sealed segment. */
    LogSegment(Segment block, long baseOffset, int length, long endOffset) {
        this.block = block;
        this.memory = null;
        this.epoch = block.mark().epoch();
        this.epochBits = 0;
        this.capacity = length;
        this.baseOffset = baseOffset;
        this.followed = false;
        this.mayBeReused = false;
        setWritten(length, endOffset);
        forcedEnd = end;
        this.endOffset = endOffset;
        this.sealed = true;
    }

    /** Position after the last batch. */
    int written() {
        return (int) (long) END.getOpaque(this);
    }

    /** How far it is written, as a pair; see {@link #positionOf} and {@link #offsetOf}. */
    long end() {
        return (long) END.getAcquire(this);
    }

    /** The batches end at a position, where the next offset is another one. */
    void setWritten(int position, long nextOffset) {
        END.setRelease(this, (nextOffset - baseOffset) << 32 | position);
    }

    /** How far it is forced, as a pair. */
    long forcedEnd() {
        return forcedEnd;
    }

    void setForcedEnd(long pair) {
        FORCED_END.setRelease(this, pair);
    }

    static int positionOf(long pair) {
        return (int) pair;
    }

    long offsetOf(long pair) {
        return baseOffset + (pair >>> 32);
    }

    /** The index while it is being filled, or the one that was loaded; null when not loaded. */
    SparseIndex index() {
        return index;
    }

    void index(SparseIndex value) {
        index = value;
    }

    /**
     * Holds the bytes in place for the writer to come: from here on they cannot go away between its
     * taking the segment and its first store.
     */
    void hold() throws IOException {
        held = pin();
    }

    /** Hands the hold over to whoever took the segment. */
    View takeHold() {
        View hold = held;
        held = null;
        return hold;
    }

    /** A walk over what is written, in the bytes of a view, from a batch whose offset is known. */
    SegmentWalk walk(ByteBuffer bytes, int at, long offset) {
        long pair = end();
        int lastEpoch = lastEpochBits(block);
        return new SegmentWalk(bytes, at, offset, positionOf(pair), offsetOf(pair), lastEpoch);
    }

    /** The bits of the epoch of a segment's last batch, by its mark; −1 when it is not known. */
    static int lastEpochBits(Segment of) {
        Mark mark = of.mark();
        return mark == null || mark.epoch() < 0 ? -1 : BatchFormat.epochBits(mark.epoch());
    }

    /** Holds the bytes in place; {@link View#unpin} when done. */
    View pin() throws IOException {
        View v = view;
        while (v == null || !v.pin()) {
            v = viewOf(block);
            view = v;
            IdleViews told = onView;
            if (told != null) {
                told.call();
            }
        }
        return v;
    }

    /** From now on somebody is told when a view was brought in. */
    void onView(IdleViews told) {
        onView = told;
    }

    /** Whether somebody has read it since its view was let go of. */
    boolean hasView() {
        return view != null;
    }

    /** The block's view; null when it was exchanged for another one meanwhile. */
    @SuppressWarnings("ReferenceEquality") // this very block
    private View viewOf(Segment from) throws IOException {
        try {
            return from.view();
        } catch (IOException e) {
            if (from == block) {
                throw e;
            }
            return null;
        }
    }

    /** The next stage, when it is in the one before; a deletion and a move agree here. */
    boolean enter(Stage from, Stage to) {
        return STAGE.compareAndSet(this, from, to);
    }

    /** Whether a deletion was faster. */
    boolean isDoomed() {
        return stage == Stage.DOOMED;
    }

    /**
     * Claims the segment for its deletion: a move that is under way gives up.
     *
     * @return false while a copy is being published: try again later
     */
    boolean doom() {
        return isDoomed()
                || enter(Stage.STAYING, Stage.DOOMED)
                || enter(Stage.MOVING, Stage.DOOMED);
    }

    /**
     * Exchanges the block below for one with the same bytes.
     *
     * @return the old block's view, retired; null when there was none
     */
    View exchange(Segment copy) {
        Segment old = block;
        block = copy;
        view = null; // a reader may bring the old one back; retired, it is asked for no pin
        View last = old.detachView();
        if (last != null) {
            last.retire();
        }
        return last;
    }

    /**
     * When it was begun: as its mark says, or by what the first caller believes.
     *
     * @param nowMs a mark that claims to be from later is not believed: the clock was set back
     */
    synchronized long beginTimeMs(long nowMs) {
        if (beginTimeMs < 0 || beginTimeMs > nowMs) {
            long marked = block.mark().beginTimeMs();
            beginTimeMs = marked >= 0 && marked <= nowMs ? marked : nowMs;
        }
        return beginTimeMs;
    }

    /** Whether {@link #writeMark} would write. */
    synchronized boolean isMarkDue() {
        return isNews(forcedEnd);
    }

    private boolean isNews(long pair) {
        return !sealed
                && positionOf(pair) > 0
                && offsetOf(pair) != markedOffset
                && block.mark().state() != SegmentState.SEALED;
    }

    /** Writes down how far the segment is durable, when that is news. Never after a seal. */
    synchronized void writeMark(long nowMs) throws IOException {
        long pair = forcedEnd;
        if (!isNews(pair)) {
            return;
        }
        long offset = offsetOf(pair);
        int position = positionOf(pair);
        long begun = beginTimeMs(nowMs);
        block.writeMark(block.mark().active(epoch, baseOffset, position, offset, begun));
        markedOffset = offset;
    }

    /** Seals durably; everything was forced. */
    synchronized void seal(long timeMs) throws IOException {
        block.seal(block.mark().sealed(epoch, baseOffset, written(), endOffset, timeMs));
        sealed = true;
    }

    /** Brings a sealed segment into its final form. */
    void finishSeal() throws IOException {
        SparseIndex complete = SegmentIndexes.of(this);
        complete.complete();
        block.finishSeal(complete.offsetBytes(), complete.timeBytes());
    }

    /** Takes the readers' view away when nobody used it since the last call; null when in use. */
    View detachIdleView() {
        View v = view;
        if (v == null || v.testAndClearUsed()) {
            return null;
        }
        View detached = detachView();
        VIEW.compareAndSet(this, v, null); // unless a reader has brought in another one
        return detached;
    }

    /** Takes the readers' view away; null when there is none. */
    View detachView() {
        View v = block.detachView();
        if (v != null) {
            memory = null; // of a segment that is finished; both would keep a mapping reachable
            view = null;
            v.retire();
        }
        return v;
    }

    boolean contains(long offset) {
        return offset >= baseOffset && offset < endOffset;
    }

    @Override
    public String toString() {
        return block.name();
    }
}
