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
 *
 * <p>Its life; any thread reads the state, and the change of the state by compare-and-set decides
 * between threads, such as between a deletion and a move:
 *
 * <pre>
 *             roll           seal            enter            enter
 *   WRITING ───────→ ROLLED ───────→ SEALED ───────→ MOVING ───────→ PUBLISHING
 *                                    ↑    ↑  giveUp    │     giveUp    │     │
 *                                    │    └────────────┴───────────────┘     │ exchange
 *                                    │               leave                   ↓
 *                                    └────────────────────────────────── LINGERING
 *
 *   doom: from each of them but PUBLISHING to DOOMED, which is the last one
 * </pre>
 *
 * A compaction enters MOVING and PUBLISHING as a move does; the segments that it has replaced go
 * from PUBLISHING to DOOMED.
 */
public final class LogSegment {
    public static final long OPEN = Long.MAX_VALUE;

    /** The zero bytes that follow the last batch, so that no stale batch continues it. */
    public static final int TAIL_ZEROS = 12;

    private static final VarHandle LIFECYCLE;
    private static final VarHandle VIEW;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            LIFECYCLE = lookup.findVarHandle(LogSegment.class, "lifecycle", Lifecycle.class);
            VIEW = lookup.findVarHandle(LogSegment.class, "view", View.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What may happen to a segment; see the class. */
    public enum Lifecycle {
        /** It is appended to, or followed while another process may append to it. */
        WRITING,
        /** Nothing more is appended; not all of it is forced, or its seal is not durable. */
        ROLLED,
        /** It is durably sealed. */
        SEALED,
        /** It is being copied; it may be deleted. */
        MOVING,
        /** The copy is being published; a deletion has to wait for that. */
        PUBLISHING,
        /** It was moved, and its old block is not freed yet, because it may still be read. */
        LINGERING,
        /** It is to be deleted; no move begins or is published any more. */
        DOOMED;

        private boolean mayFollow(Lifecycle before) {
            return switch (this) {
                case WRITING -> false;
                case ROLLED -> before == WRITING;
                case SEALED -> before != DOOMED; // also at once, of another process's segment
                case MOVING -> before == SEALED || before == PUBLISHING; // not all were published
                case PUBLISHING -> before == MOVING;
                case LINGERING -> before == PUBLISHING;
                case DOOMED -> true;
            };
        }
    }

    // Constant, and visible to each thread that sees the segment, which the list publishes.
    private final boolean isWrittenByCalls;
    private final boolean isFollowed;
    private final long epoch;
    private final int epochBits;
    private final int capacity;

    // Plain: set before the segment is published, by the list or by the hand-over to the writer.
    private long baseOffset;
    private int preparedTo;
    private View held;

    /** Whether an appender may have stored something in it. */
    private boolean isUsed;

    /** As the others, so that its mark says nothing of the epochs in its batches. */
    private boolean hasForeignEpochs;

    /** Plain: for the holder of the append turn, until the segment is finished. */
    private ByteBuffer memory;

    // How far it is written and forced: a position and, in the upper half, the offset there minus
    // the base. In one long, because the two must never be seen apart.
    private final PublishedLong end = new PublishedLong(0);
    private final PublishedLong forcedEnd = new PublishedLong(0);

    // Volatile: stored after the last batch's end, so a thread that loads it has that end, too.
    private volatile long endOffset = OPEN;

    // Volatile: a state is entered after what it promises was done, such as the durable seal.
    private volatile Lifecycle lifecycle = Lifecycle.WRITING;

    // Volatile: exchanged by the thread that moves the segment. Who has loaded the old block finds
    // the same bytes in it, or its view retired, and loads again.
    private volatile Block block;
    private volatile View view;
    private volatile SparseIndex index;

    // Volatile, without any order: for those who ask.
    private volatile long maxTimestamp = Mark.UNKNOWN_TIMESTAMP;
    private volatile int movingTo = -1;
    private volatile long firstSeenMs = Long.MAX_VALUE;
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
        this.isFollowed = false;
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
        this.isFollowed = true;
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
        this.isFollowed = false;
        setWritten(length, endOffset);
        forcedEnd.set(end.get());
        this.endOffset = endOffset;
        this.lifecycle = Lifecycle.SEALED;
    }

    public Block block() {
        return block;
    }

    /** The memory that the writer stores to; null when this process never wrote the segment. */
    public ByteBuffer memory() {
        return memory;
    }

    /** Whether batches are written by calls, see {@link Block#isWrittenByCalls}. */
    public boolean isWrittenByCalls() {
        return isWrittenByCalls;
    }

    /** Whether the store is open read-only: nothing is written, not even derived data. */
    public boolean isFollowed() {
        return isFollowed;
    }

    public long epoch() {
        return epoch;
    }

    public int epochBits() {
        return epochBits;
    }

    public int capacity() {
        return capacity;
    }

    /** Whether an appender may have stored something in it, in this process. */
    public boolean isUsed() {
        return isUsed;
    }

    /** Notes that an appender stores into it from now on; with the turn. */
    public void use() {
        isUsed = true;
    }

    /** Offset of the first record. */
    public long baseOffset() {
        return baseOffset;
    }

    /** Sets the offset of the first record, before the segment is published. */
    public void beginAt(long offset) {
        baseOffset = offset;
    }

    /** Up to here space was prepared before the segment was handed to the writer. */
    public int preparedTo() {
        return preparedTo;
    }

    /** Notes how far space is prepared, before the segment is handed to the writer. */
    public void prepareTo(int position) {
        preparedTo = position;
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

    /** The offset after the last record; {@link #OPEN} while more may come. */
    public long endOffset() {
        return endOffset;
    }

    /** Ends it: nothing is appended any more. */
    public void roll(long offset) {
        endOffset = offset;
        enter(Lifecycle.WRITING, Lifecycle.ROLLED); // unless it is doomed, or sealed meanwhile
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

    /** An upper limit of its timestamps, if it is sealed and one was noted. */
    long maxTimestamp() {
        return maxTimestamp;
    }

    /** Notes an upper limit of its timestamps; it is sealed. */
    void maxTimestamp(long limit) {
        maxTimestamp = limit;
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
        return new SegmentWalk(
                new SegmentWalk.Bytes(bytes, to, offsetOf(pair), lastEpoch), at, offset);
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

    /** Changes the state if it is the expected one; this decides between threads. */
    public boolean enter(Lifecycle from, Lifecycle to) {
        assert to.mayFollow(from) : this + ": " + from + " to " + to;
        return LIFECYCLE.compareAndSet(this, from, to);
    }

    /** Whether it is durably sealed, or about to be deleted. */
    public boolean isSealed() {
        return lifecycle.compareTo(Lifecycle.SEALED) >= 0;
    }

    /** Whether a deletion has claimed it. */
    public boolean isDoomed() {
        return lifecycle == Lifecycle.DOOMED;
    }

    /**
     * Claims the segment for deletion: a move in progress gives up.
     *
     * @return false while a copy is being published: try again later
     */
    public boolean doom() {
        Lifecycle now = lifecycle;
        while (now != Lifecycle.DOOMED && now != Lifecycle.PUBLISHING) {
            if (enter(now, Lifecycle.DOOMED)) {
                return true;
            }
            now = lifecycle;
        }
        return now == Lifecycle.DOOMED;
    }

    /** The index of the tier to which it is being moved; −1 for none. */
    public int movingTo() {
        return movingTo;
    }

    /** Notes the tier to which it is being moved. */
    public void moveTo(int tier) {
        movingTo = tier;
    }

    /** Ends a move or a rewrite that has replaced nothing. */
    public void giveUp() {
        movingTo = -1;
        if (!enter(Lifecycle.PUBLISHING, Lifecycle.SEALED)) {
            enter(Lifecycle.MOVING, Lifecycle.SEALED);
        }
    }

    /** Notes that its old block is freed. */
    public void leave() {
        enter(Lifecycle.LINGERING, Lifecycle.SEALED);
    }

    /**
     * Replaces the block with one that has the same bytes; the old one lingers.
     *
     * @return the old block's view, retired; null when there was none
     */
    public View exchange(Block copy) {
        Block old = block;
        block = copy;
        view = null; // a reader may bring the old one back; being retired, it gives no pin
        index = null; // the copy has it
        movingTo = -1;
        enter(Lifecycle.PUBLISHING, Lifecycle.LINGERING); // after this, it may be deleted
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

    /** Ends a sealed segment earlier, durably; no reader reads after its new end. */
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
        enterSealed();
    }

    /** Notes that another process has sealed it, and where it ends. */
    public void sealedAt(long offset) {
        roll(offset);
        enterSealed();
    }

    /**
     * Enters SEALED unless it is doomed. The holder of the force gate acts on the end offset alone,
     * so the roll that set it may not have entered ROLLED yet, and then must not do it any more.
     */
    private void enterSealed() {
        Lifecycle now = lifecycle;
        while (now.compareTo(Lifecycle.SEALED) < 0 && !enter(now, Lifecycle.SEALED)) {
            now = lifecycle;
        }
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
     * Removes the readers' view if it was not used since the last call, and the index, which is
     * read again when it is needed; null when it is in use.
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
