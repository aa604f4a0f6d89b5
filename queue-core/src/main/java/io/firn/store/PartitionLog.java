package io.firn.store;

import io.firn.Appender;
import io.firn.AppenderBusyException;
import io.firn.BatchReader;
import io.firn.DamagedRange;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.Partition;
import io.firn.PartitionMetrics;
import io.firn.PoisonedException;
import io.firn.StoreFullException;
import io.firn.Tailer;
import io.firn.TimestampedOffset;
import io.firn.Topic;
import io.firn.VisibleListener;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * One log. It holds what is published (offsets, the list of segments, the state) and the open
 * appenders; the work is done by {@link PartitionWriter} (append), {@link PartitionForcer} (force,
 * seal), {@link PartitionUpkeep} (blocks, marks, retention), {@link LogTailer} and {@link
 * LogBatchReader} (read).
 *
 * <p>Always: {@code logStartOffset ≤ durableOffset ≤ nextOffset}. Each is published with a release
 * store and read with an acquire load; a reader that sees an offset sees the bytes below it.
 */
final class PartitionLog implements Partition {
    private static final VarHandle NEXT;
    private static final VarHandle DURABLE;
    private static final System.Logger LOG = System.getLogger("io.firn");

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            NEXT = lookup.findVarHandle(PartitionLog.class, "nextOffset", long.class);
            DURABLE = lookup.findVarHandle(PartitionLog.class, "durableOffset", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Store store;
    private final TopicLog topic;
    private final int index;
    private final boolean readersSeeWritten;
    private final Signal published = new Signal();
    private final AppendTurn turn = new AppendTurn();
    private final Producers producers;
    private final PartitionForcer forcer;
    private final PartitionWriter writer;
    private final PartitionUpkeep upkeep;
    private final List<DamagedRange> damage;
    private final LogState state;
    // Order of locks: appending → the turn → segmentList. No other code is called under the last
    // one.
    private final Object appending = new Object();
    private final Object segmentList = new Object();

    /** Taken inside of an append by a listener that removes itself, so under no other lock. */
    private final Object listening = new Object();

    private volatile long logStartOffset;

    @SuppressWarnings("UnusedVariable") // through its handle
    private volatile long durableOffset;

    @SuppressWarnings("UnusedVariable") // through its handle
    private volatile long nextOffset;

    private volatile LogSegment[] segments;

    private volatile VisibleListener[] listeners = {};
    private final AtomicInteger moves = new AtomicInteger();
    private boolean exclusive;
    private int appenders;
    private volatile long rolls;
    private volatile long endedBytes;
    private long recoveredBytes; // set once, before another thread sees the log
    private volatile long stalls;

    PartitionLog(TopicLog topic, int index, RecoveredPartition recovered) {
        this.store = topic.store();
        this.topic = topic;
        this.index = index;
        this.state = new LogState(topic.name(), index);
        this.readersSeeWritten = topic.options().durability() == Durability.WRITTEN;
        this.producers = recovered.producers();
        this.damage = new ArrayList<>();
        recovered.damage().forEach(this::addRange);
        this.segments = recovered.segments().toArray(new LogSegment[0]);
        this.logStartOffset = recovered.logStartOffset();
        this.durableOffset = recovered.durableOffset();
        this.nextOffset = recovered.nextOffset();
        this.forcer = new PartitionForcer(this);
        this.writer = new PartitionWriter(this, recovered.active());
        this.upkeep = new PartitionUpkeep(this, recovered.checkpointOffset());
        this.recoveredBytes = appendedBytes();
        if (segments.length > 0) {
            for (LogSegment segment : segments) {
                segment.onView(upkeep.views());
            }
            upkeep.onRecovered();
        }
    }

    // ---- what is published

    @Override
    public Topic topic() {
        return topic;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public long logStartOffset() {
        return logStartOffset;
    }

    @Override
    public long durableOffset() {
        return (long) DURABLE.getAcquire(this);
    }

    @Override
    public long nextOffset() {
        return (long) NEXT.getAcquire(this);
    }

    @Override
    public long visibleOffset() {
        return readersSeeWritten ? nextOffset() : durableOffset();
    }

    /** Everything stored before is visible to a thread that sees the offset. */
    void publishNext(long offset) {
        NEXT.setRelease(this, offset);
        if (readersSeeWritten) {
            tellReaders();
        }
    }

    void publishDurable(long offset) {
        DURABLE.setRelease(this, offset);
        if (!readersSeeWritten) {
            wakeReaders();
        }
    }

    /** Whether {@link #tellListenersOfForce} tells anybody. */
    boolean hasListenersToForces() {
        return !readersSeeWritten && listeners.length > 0;
    }

    /** Tells whoever sees more of a DURABLE topic since its durable offset was published. */
    void tellListenersOfForce() {
        if (!readersSeeWritten) {
            tellListeners();
        }
    }

    private void tellReaders() {
        wakeReaders();
        tellListeners();
    }

    private void wakeReaders() {
        published.wake();
        topic.published().wake();
    }

    private void tellListeners() {
        for (VisibleListener listener : listeners) {
            tell(listener);
        }
    }

    private void tell(VisibleListener listener) {
        try {
            listener.onVisible();
        } catch (Throwable e) {
            // The records are there, whatever a listener does.
            LOG.log(System.Logger.Level.ERROR, this + ": a VisibleListener failed", e);
        }
    }

    /** For a read-only store: publishes what it found in the log of the writing process. */
    void publishFound(LogSegment[] found, long start, long durable, long next) {
        // The new ones before the end that is in them, the start before the old ones go: nobody
        // looks for an offset that is in range and finds no segment.
        LogSegment[] before = segments;
        if (!Arrays.equals(found, before)) {
            segments =
                    Stream.concat(Arrays.stream(before), Arrays.stream(found))
                            .distinct()
                            .sorted(Comparator.comparingLong(segment -> segment.baseOffset))
                            .toArray(LogSegment[]::new);
        }
        NEXT.setRelease(this, next);
        DURABLE.setRelease(this, durable);
        logStartOffset = start;
        segments = found;
        tellReaders();
    }

    Signal published() {
        return published;
    }

    LogSegment[] segments() {
        return segments;
    }

    /**
     * The segment that holds the offset or, between two, the later one; null when there is none.
     */
    LogSegment segmentFor(long offset) {
        LogSegment[] all = segments;
        int low = 0;
        int high = all.length - 1;
        while (low <= high) {
            int mid = (low + high) >>> 1;
            if (all[mid].endOffset <= offset) {
                low = mid + 1;
            } else {
                high = mid - 1;
            }
        }
        return low < all.length ? all[low] : null;
    }

    /** Index of the oldest segment that is not sealed. */
    int firstUnsealed(LogSegment[] all) {
        int i = all.length;
        while (i > 0 && !all[i - 1].sealed) {
            i--;
        }
        return i;
    }

    /** The segment that is appended to; null when there is none. */
    LogSegment activeSegment() {
        LogSegment[] all = segments;
        LogSegment last = all.length == 0 ? null : all[all.length - 1];
        return last == null || last.endOffset != LogSegment.OPEN ? null : last;
    }

    boolean hasRolledUnsealed() {
        LogSegment[] all = segments;
        int i = firstUnsealed(all);
        return i < all.length && all[i].endOffset != LogSegment.OPEN;
    }

    void addSegment(LogSegment segment) {
        segment.onView(upkeep.views());
        synchronized (segmentList) {
            LogSegment[] all = Arrays.copyOf(segments, segments.length + 1);
            all[all.length - 1] = segment;
            segments = all;
        }
    }

    @SuppressWarnings("ReferenceEquality") // this very segment
    void removeFirst(LogSegment segment) {
        synchronized (segmentList) {
            LogSegment[] all = segments;
            if (all.length > 0 && all[0] == segment) {
                segments = Arrays.copyOfRange(all, 1, all.length);
            }
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // whoever has the turn is the only writer
    void onRolled(LogSegment ended) {
        rolls++;
        endedBytes += ended.written();
        RollEvent.emit(this, ended);
        forcer.call();
    }

    /**
     * Called by the writer after an append; not after each.
     *
     * @param isFillingUp whether the next block is wanted
     */
    void onAppended(boolean isFillingUp) {
        upkeep.onAppended(isFillingUp);
        if (readersSeeWritten) {
            forcer.call();
        }
    }

    /** Bytes appended since open. */
    long appendedBytes() {
        LogSegment active = activeSegment();
        return endedBytes + (active == null ? 0 : active.written()) - recoveredBytes;
    }

    // ---- its parts

    Store store() {
        return store;
    }

    TopicLog topicLog() {
        return topic;
    }

    PartitionForcer forcer() {
        return forcer;
    }

    PartitionWriter writer() {
        return writer;
    }

    PartitionUpkeep upkeep() {
        return upkeep;
    }

    Producers producers() {
        return producers;
    }

    AppendTurn turn() {
        return turn;
    }

    int segmentBytes() {
        return topic.segmentBytes();
    }

    boolean isDurable() {
        return !readersSeeWritten;
    }

    // ---- state

    /** Throws when nothing may be appended. */
    void checkWritable() {
        state.checkWritable();
    }

    LogState state() {
        return state;
    }

    /**
     * The medium failed: no more appends until the store is opened again. Futures are failed by the
     * background, or by who forces: the caller may have the turn or the gate, and users' callbacks
     * may close the appender or the store.
     */
    PoisonedException poison(Throwable cause) {
        String what = "the medium failed (" + cause.getMessage() + ")";
        PoisonedException why =
                state.poison(what, "check the medium, then ", cause, durableOffset());
        forcer.call();
        return why;
    }

    /** As {@link #poison(Throwable)}, because of something else, and at once. */
    PoisonedException poison(String what, String todo, Throwable cause) {
        PoisonedException why = state.poison(what, todo, cause, durableOffset());
        forcer.failPending(why);
        return why;
    }

    void markGone(boolean deleted) {
        forcer.failPending(state.markGone(deleted));
        tellReaders();
    }

    // ---- appending

    @Override
    public ExclusiveAppender openAppender() {
        enter(true);
        return new PartitionAppender(this, true);
    }

    @Override
    public Appender openSharedAppender() {
        enter(false);
        return new PartitionAppender(this, false);
    }

    private void enter(boolean wantsExclusive) {
        store.checkWritable();
        checkWritable();
        synchronized (appending) {
            if (exclusive || (wantsExclusive && appenders > 0)) {
                throw new AppenderBusyException(
                        this
                                + " has "
                                + (exclusive
                                        ? "an exclusive appender"
                                        : appenders + " shared appenders")
                                + " open: close it first, or use shared appenders only");
            }
            if (appenders == 0) {
                turn.enter();
                try {
                    writer.pin();
                } finally {
                    turn.leave();
                }
            }
            exclusive = wantsExclusive;
            appenders++;
        }
    }

    /** Whether an appender is open. */
    boolean hasAppenders() {
        synchronized (appending) {
            return appenders > 0;
        }
    }

    void leave() {
        synchronized (appending) {
            exclusive = false;
            if (--appenders == 0) {
                turn.enter();
                try {
                    writer.unpin();
                    turn.forgetThreads();
                } finally {
                    turn.leave();
                }
            }
        }
    }

    /**
     * Background: ends the active segment although nothing follows yet.
     *
     * @return false when an append or a claim is under way in it: try again
     */
    boolean endSegment(LogSegment segment) {
        if (!turn.enterSoon()) {
            return false;
        }
        try {
            return writer.endSegment(segment);
        } finally {
            turn.leave();
        }
    }

    // ---- moves of its segments

    /** Called before a move looks at anything: close and deletion wait for its end. */
    void beginMove() {
        moves.incrementAndGet();
    }

    void endMove() {
        moves.decrementAndGet();
    }

    /** Moves in progress. */
    int moves() {
        return moves.get();
    }

    LogSegment takeReserved() {
        return upkeep.blocks().take();
    }

    /** Checks that a block may be on its way; for who does not wait for one. */
    void checkRoom() {
        upkeep.blocks().checkRoom();
    }

    /** Waits, a little, for a block; outside of any turn. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // a lost count among stalled threads is harmless
    void awaitBlock() {
        stalls++;
        StallEvent event = StallEvent.beginIfEnabled();
        upkeep.blocks().await();
        if (event != null) {
            event.end(this);
        }
    }

    // ---- reading

    @Override
    public Tailer openTailer() {
        return topic.openTailer(List.of(this));
    }

    @Override
    public BatchReader openBatchReader() {
        return new LogBatchReader(this, this, store::lookAgain);
    }

    @Override
    public long activeOffset() {
        LogSegment active = activeSegment();
        return active == null ? nextOffset() : active.baseOffset;
    }

    @Override
    public void addVisibleListener(VisibleListener listener) {
        Objects.requireNonNull(listener, "listener");
        synchronized (listening) {
            List<VisibleListener> all = new ArrayList<>(List.of(listeners));
            all.add(listener);
            listeners = all.toArray(new VisibleListener[0]);
        }
    }

    @Override
    public void removeVisibleListener(VisibleListener listener) {
        Objects.requireNonNull(listener, "listener");
        synchronized (listening) {
            List<VisibleListener> all = new ArrayList<>(List.of(listeners));
            all.remove(listener);
            listeners = all.toArray(new VisibleListener[0]);
        }
    }

    @Override
    public long offsetForTimestamp(long timestampMs) {
        TimestampedOffset found = findTimestamp(timestampMs);
        return found == null ? visibleOffset() : found.offset();
    }

    @Override
    public TimestampedOffset findTimestamp(long timestampMs) {
        return new TimestampSearch(this, store::lookAgain).find(timestampMs);
    }

    @Override
    public TimestampedOffset findLatestTimestamp() {
        return new TimestampSearch(this, store::lookAgain).findLatest();
    }

    void addDamage(DamagedRange range) {
        if (addRange(range)) {
            LOG.log(System.Logger.Level.ERROR, "{0}: damaged: {1}", this, range);
        }
    }

    /** Recovery and reads may find the same damage in different ways, or only a part of it. */
    private boolean addRange(DamagedRange range) {
        synchronized (damage) {
            if (damage.stream().anyMatch(known -> covers(known, range))) {
                return false;
            }
            damage.removeIf(known -> covers(range, known));
            damage.add(range);
            damage.sort(Comparator.comparingLong(DamagedRange::fromOffset));
            return true;
        }
    }

    private static boolean covers(DamagedRange outer, DamagedRange inner) {
        return outer.fromOffset() <= inner.fromOffset() && inner.toOffset() <= outer.toOffset();
    }

    @Override
    public List<DamagedRange> damage() {
        synchronized (damage) {
            return List.copyOf(damage);
        }
    }

    // ---- keeping

    @Override
    public void force() {
        if (durableOffset() < nextOffset() && store.isReadOnly()) {
            store.checkWritable(); // says that the other process has to
        }
        forcer.awaitDurable(nextOffset());
    }

    @Override
    public long deleteRecordsBefore(long offset) {
        store.checkWritable();
        state.checkReadable();
        if (offset < 0 || offset > durableOffset()) {
            throw new InvalidOptionException(
                    this
                            + ": records can be deleted up to the durable offset "
                            + durableOffset()
                            + ", not before "
                            + offset);
        }
        try {
            raiseLogStart(offset);
        } catch (IOException e) {
            throw new FirnException(this + ": the new log start offset could not be written", e);
        }
        return logStartOffset;
    }

    /** Durable before it is visible, and before any segment below it is deleted (O3). */
    void raiseLogStart(long offset) throws IOException {
        synchronized (upkeep) {
            if (offset > logStartOffset) {
                topic.files().writeLogStart(index, offset);
                logStartOffset = offset;
                upkeep.onNewLimits();
            }
        }
    }

    @Override
    public PartitionMetrics metrics() {
        LogSegment[] all = segments;
        long bytes = 0;
        for (LogSegment segment : all) {
            bytes += segment.written();
        }
        return new PartitionMetrics(
                topic.name(),
                index,
                logStartOffset,
                durableOffset(),
                nextOffset(),
                all.length,
                bytes,
                forcer.forces(),
                rolls,
                stalls,
                state.isPoisoned());
    }

    StoreFullException full(StoreFullException cause) {
        return new StoreFullException(
                this + ": no tier has room for another segment: " + cause.getMessage(), cause);
    }

    @Override
    public String toString() {
        return topic.name() + "-" + index;
    }
}
