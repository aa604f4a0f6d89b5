package io.firn.log;

import io.firn.Durability;
import io.firn.Finding.Kind;
import io.firn.InvalidOptionException;
import io.firn.IsolationLevel;
import io.firn.MissingCodecException;
import io.firn.PartitionReader.DamagedRange;
import io.firn.PoisonedException;
import io.firn.findings.FindingKey;
import io.firn.findings.Subject;
import io.firn.host.LostMarkerException;
import io.firn.log.PublishedOffsets.OffsetPublisher;
import io.firn.log.TruncationCounter.TruncatedOffsets;
import java.io.IOException;
import java.util.List;

/**
 * The log of one partition: its segments, the offsets that are published, and its state. Forcing,
 * appending, reading and the background's work are built on it, and it knows nothing of them
 * besides whom to tell ({@link #connect}).
 *
 * <p>Always: {@code logStartOffset ≤ durableOffset ≤ nextOffset}. Each is published with a release
 * store and read with an acquire load; a reader that sees an offset sees the bytes below it.
 */
public final class SegmentedLog {

    private final TopicContext topic;
    private final LogContext store;
    private final int index;
    private final boolean readersSeeWritten;
    private final WaitingReaders readers;
    private final ReaderLimit readerLimit;
    private final TruncationCounter truncations = new TruncationCounter();
    private final Subject subject;
    private final DamageList damage;
    private final LogState state;
    private final SegmentList segments;

    /** Held while the log start is written and published. */
    private final Object raising = new Object();

    private volatile long logStartOffset;

    private final PublishedLong durableOffset;
    private final PublishedLong nextOffset;

    // Set once, before another thread sees the log.
    private LogEvents.ForceWaiters waiters;
    private LogEvents.AppendAlarm alarm;
    private LogEvents events;
    private Runnable onView;

    private final Rolls rolls;

    /** Publishes its offsets for readers in other processes. */
    private final OffsetPublisher publisher;

    /** In a read-only store, shows what the writing process has published; null for nothing. */
    private volatile Runnable catchUp;

    public SegmentedLog(TopicContext topic, RecoveredPartition recovered, ReaderLimit readerLimit) {
        this.topic = topic;
        this.store = topic.store();
        this.index = recovered.index();
        this.subject = Subject.partition(topic.id(), topic.name(), index);
        this.state = new LogState(subject, store.findings());
        this.damage = new DamageList(subject, store.findings());
        state.needKeys(topic.needsKeys());
        this.readers = new WaitingReaders(this);
        this.readersSeeWritten = topic.options().durability() == Durability.WRITTEN;
        this.readerLimit = readerLimit;
        recovered.damage().forEach(damage::add);
        this.segments = new SegmentList(recovered.segments());
        this.logStartOffset = recovered.logStartOffset();
        this.durableOffset = new PublishedLong(recovered.durableOffset());
        this.nextOffset = new PublishedLong(recovered.nextOffset());
        this.rolls = new Rolls(segments.active());
        PublishedOffsets published = store.published();
        this.publisher =
                published == null
                        ? OffsetPublisher.NONE
                        : published.publish(topic.id(), index, this::toPublish);
    }

    /** Sets whom to tell what happens; called once, before another thread sees the log. */
    public void connect(
            LogEvents.ForceWaiters newWaiters,
            LogEvents.AppendAlarm newAlarm,
            LogEvents newEvents) {
        waiters = newWaiters;
        alarm = newAlarm;
        events = newEvents;
        onView = newEvents::onView;
        for (LogSegment segment : segments.all()) {
            segment.onView(onView);
        }
    }

    /** What there is to publish, of the log as it is now. */
    private OffsetPublisher.State toPublish() {
        LogSegment active = activeSegment();
        boolean isEmpty = active == null;
        return new OffsetPublisher.State(
                isEmpty ? nextOffset() : active.baseOffset(),
                isEmpty ? -1 : active.epoch(),
                isEmpty ? 0 : active.end(),
                durableOffset(),
                logStartOffset());
    }

    public LogContext store() {
        return store;
    }

    public TopicContext topic() {
        return topic;
    }

    /** Names it in findings and messages about background work. */
    public Subject subject() {
        return subject;
    }

    public int index() {
        return index;
    }

    public boolean isDurable() {
        return !readersSeeWritten;
    }

    /** Publishes its offsets for readers in other processes. */
    public OffsetPublisher publisher() {
        return publisher;
    }

    public LogState state() {
        return state;
    }

    public LogEvents.AppendAlarm alarm() {
        return alarm;
    }

    public LogEvents events() {
        return events;
    }

    // ---- what is published

    public long logStartOffset() {
        return logStartOffset;
    }

    public long durableOffset() {
        return durableOffset.get();
    }

    public long nextOffset() {
        return nextOffset.get();
    }

    /**
     * Whether an offset is above the next one. A reader that waits at the end of a DURABLE log does
     * not load the next offset for it: that would take its line from the appender again and again.
     */
    public boolean isAboveNext(long offset) {
        return (readersSeeWritten || offset > durableOffset()) && offset > nextOffset();
    }

    /** Returns whether an offset is from 0 to the next offset, where readers can be. */
    public boolean isPosition(long offset) {
        return offset >= 0 && offset <= nextOffset();
    }

    /** Returns that an offset, which {@code reader} should get, is no position. */
    public InvalidOptionException noPosition(String reader, long offset) {
        return new InvalidOptionException(
                reader
                        + ": offset "
                        + offset
                        + " is not in [0, "
                        + nextOffset()
                        + "] of partition "
                        + index);
    }

    /** The offset where readers of committed records stop. */
    public long visibleOffset() {
        return visibleOffset(IsolationLevel.READ_COMMITTED);
    }

    /** The offset where readers stop. */
    public long visibleOffset(IsolationLevel isolation) {
        // Before what holds readers up: see ReaderLimit.
        long end = readersSeeWritten ? nextOffset() : durableOffset();
        long stable = isolation == IsolationLevel.READ_COMMITTED ? readerLimit.stable(end) : end;
        return stable < end ? Math.max(stable, logStartOffset) : end;
    }

    /** What readers of committed records are not shown. */
    public ReaderLimit readerLimit() {
        return readerLimit;
    }

    /**
     * Throws when a reader of committed records would wait at an offset for ever. Below the
     * transaction whose end is lost, it waits for a force only.
     */
    public void checkEndsAreThere(long offset) {
        String found = readerLimit.lostEnd();
        if (found != null && offset >= readerLimit.heldAt()) {
            throw new LostMarkerException(toString(), index, readerLimit.heldAt(), found);
        }
    }

    /**
     * Publishes a new end of the active segment. Everything stored before is visible to a thread
     * that sees it, in this process and in others (O21).
     */
    public void publishNext(long offset, long end) {
        publisher.written(end);
        if (readersSeeWritten) {
            readers.begin();
            nextOffset.set(offset);
            readers.tell();
        } else {
            nextOffset.set(offset);
        }
    }

    public void publishDurable(long offset) {
        publisher.durable(offset);
        if (readersSeeWritten) {
            durableOffset.set(offset);
        } else {
            readers.begin();
            durableOffset.set(offset);
            readers.wake();
        }
    }

    /** Whether {@link #tellListenersOfForce} has a listener to call. */
    public boolean hasListenersToForces() {
        return !readersSeeWritten && readers.hasListeners();
    }

    /**
     * Calls the listeners that see more of a DURABLE topic since its durable offset was published.
     */
    public void tellListenersOfForce() {
        if (!readersSeeWritten) {
            readers.tellListeners();
        }
    }

    /** Whether the append that is in progress is published, and listeners are being told. */
    public boolean isAppendBeingTold() {
        return readersSeeWritten && readers.isTelling();
    }

    /** Durable before it is visible, and before any segment below it is deleted (O3). */
    public void raiseLogStart(long offset) throws IOException {
        synchronized (raising) {
            if (offset > logStartOffset) {
                topic.files().writeLogStart(index, offset);
                logStartOffset = offset;
                damage.dropBelow(offset);
                publisher.logStart(offset);
                events.onNewLimits();
            }
        }
    }

    /** Begins an empty log at an offset: durable before it is visible. */
    public void beginAt(long offset) throws IOException {
        synchronized (raising) {
            topic.files().writeLogStart(index, offset);
            publisher.restarted(offset, offset);
            nextOffset.set(offset);
            durableOffset.set(offset);
            logStartOffset = offset;
        }
        readers.tell();
    }

    /**
     * Shows readers an earlier end, and tells those above it; what is cut off is still there.
     *
     * @param hasTransactions whether some of what goes belongs to transactions
     * @param truncated with this truncation, durable (O29)
     * @return the segments of which nothing stays, in order
     */
    public List<LogSegment> withdraw(
            long offset, boolean hasTransactions, TruncatedOffsets truncated) {
        truncations.announce(truncated);
        // Before it counts: a reader that has seen an earlier end finds out after its next pin.
        durableOffset.set(offset);
        nextOffset.set(offset);
        if (hasTransactions) {
            readerLimit.suspend();
        }
        truncations.show(truncated);
        damage.dropFrom(offset);
        publisher.restarted(offset, logStartOffset);
        return segments.removeFrom(offset);
    }

    /**
     * In a read-only store: shows readers the end that the writing process has truncated the log
     * to, and tells those above it.
     *
     * @param truncated what it was truncated to so far
     */
    public void withdrawSeen(TruncatedOffsets truncated) {
        long lowest =
                Math.min(truncated.lowestSince(truncations.count()), truncated.lowestInProgress());
        synchronized (raising) {
            long cut = Math.max(lowest, logStartOffset);
            truncations.announce(truncated);
            durableOffset.set(Math.min(cut, durableOffset()));
            nextOffset.set(Math.min(cut, nextOffset()));
            readerLimit.suspend(); // until a reader looks again
            truncations.show(truncated);
            damage.dropFrom(cut);
            segments.removeFrom(cut);
            LogSegment last = segments.last();
            if (last != null && last.endOffset() > cut) {
                last.roll(cut); // who has it open reads no further in it
            }
        }
        readers.begin();
        readers.tell();
    }

    /** How often it was truncated, and to what. */
    public TruncationCounter truncations() {
        return truncations;
    }

    /** Makes all readers look. */
    public void tellOfTruncation() {
        readers.begin();
        publisher.segmentsChanged();
        readers.tell();
    }

    /** So that a full disk never keeps the log start from being raised. */
    public void ensureStartFile() throws IOException {
        synchronized (raising) {
            topic.files().ensureLogStart(index, logStartOffset);
        }
    }

    // ---- what a read-only store finds in the log of the writing process

    /**
     * Sets what shows in this process what the writing process has published.
     *
     * @param step runs on the threads of readers; null when only looks find something new
     */
    public void catchUpBy(Runnable step) {
        catchUp = step;
    }

    /** Shows what the writing process has published; readers call it before each look at an end. */
    public void catchUp() {
        Runnable step = catchUp;
        if (step != null) {
            step.run();
        }
    }

    /** Publishes segments that were found, and ends, unless more is published already. */
    public void publishFound(LogSegment[] found, long start, long durable, long next) {
        // The new ones before the end that is in them, the start before the old ones go: nobody
        // looks for an offset that is in range and finds no segment.
        segments.addMissing(found);
        publishSeen(start, durable, next);
        segments.replace(found);
    }

    /** Publishes ends that lie in known segments, unless more is published already. */
    public void publishSeen(long start, long durable, long next) {
        boolean isMore;
        synchronized (raising) {
            isMore = next > nextOffset() || durable > durableOffset();
            if (isMore) {
                readers.begin();
            }
            nextOffset.set(Math.max(next, nextOffset()));
            durableOffset.set(Math.max(durable, durableOffset()));
            logStartOffset = Math.max(start, logStartOffset);
        }
        if (isMore) {
            readers.tell();
        }
    }

    /** Who waits for the visible end to move. */
    public WaitingReaders readers() {
        return readers;
    }

    // ---- segments

    /** In the order of their offsets; not to be changed by the caller. */
    public LogSegment[] segments() {
        return segments.all();
    }

    public SegmentList segmentList() {
        return segments;
    }

    /** The segment with the offset or, between two, the later one; null when there is none. */
    public LogSegment segmentFor(long offset) {
        return segments.find(offset);
    }

    /** The segment that is appended to; null when there is none. */
    public LogSegment activeSegment() {
        return segments.active();
    }

    public boolean hasRolledUnsealed() {
        LogSegment oldest = segments.oldestUnsealed();
        return oldest != null && oldest.endOffset() != LogSegment.OPEN;
    }

    public void addSegment(LogSegment segment) {
        segment.onView(onView);
        LogSegment before = segments.last();
        segments.add(segment);
        publisher.begun(segment, before);
    }

    /** Replaces sealed neighbours by one segment with what is left of them. */
    public void replaceSegments(List<LogSegment> sources, LogSegment made) {
        made.onView(onView);
        segments.replace(sources, made);
        publisher.segmentsChanged();
    }

    /** Takes out the active segment, into which nothing was written; its block is freed. */
    public void discard(LogSegment segment) {
        segments.removeLast(segment);
        events.onDiscarded(segment);
    }

    /** Counts a segment that was ended; for the thread that has the turn. */
    public void onRolled(LogSegment ended) {
        rolls.onRolled(ended);
    }

    public long rolls() {
        return rolls.count();
    }

    /** Bytes appended since open. */
    public long appendedBytes() {
        return rolls.appendedBytes(activeSegment());
    }

    // ---- damage, and the end

    public void addDamage(DamagedRange range) {
        damage.add(range);
    }

    /** A reader or the compaction has met a batch whose codec cannot be used. */
    public void noteMissingCodec(MissingCodecException why) {
        store.findings()
                .begin(
                        FindingKey.of(Kind.CODEC_MISSING, subject),
                        subject + " has batches that cannot be read here: " + why.getMessage());
    }

    public List<DamagedRange> damage() {
        return damage.all();
    }

    /**
     * The medium failed: no more appends until the store is opened again. Futures are failed by the
     * background, or by who forces: the caller may have the turn or the gate, and users' callbacks
     * may close the appender or the store.
     */
    public PoisonedException poison(Throwable cause) {
        PoisonedException why =
                state.poison(
                        store.appendFailure(cause),
                        "check the medium, then ",
                        cause,
                        durableOffset());
        waiters.call();
        return why;
    }

    /**
     * As {@link #poison(Throwable)}, because another process may write the log: no moves either.
     */
    public void lose(Throwable why) {
        state.poisonWithStore(
                why.getMessage() + "; records below " + durableOffset() + " were acknowledged",
                why);
        state.pauseMoves();
        waiters.call();
        events.onLost();
    }

    /** As {@link #poison(Throwable)}, because of something else, and at once. */
    public PoisonedException poison(String what, String todo, Throwable cause) {
        PoisonedException why = state.poison(what, todo, cause, durableOffset());
        waiters.failPending(why);
        return why;
    }

    /** As {@link #poison(String, String, Throwable)}, with all others: the store says why. */
    public void poisonWithStore(String what, Throwable cause) {
        waiters.failPending(state.poisonWithStore(what, cause, durableOffset()));
    }

    /** Ends the log, because its topic was deleted or the store is closed. */
    public void markGone(boolean deleted) {
        waiters.failPending(state.markGone(deleted));
        readers.tell();
    }

    @Override
    public String toString() {
        return subject.text();
    }

    /** Counts the segments that were ended, and the bytes that were appended. */
    private static final class Rolls {
        private final long recoveredBytes;
        private volatile long rolls;
        private volatile long endedBytes;

        /** Creates it for a log that continues in a segment, or in none (null). */
        Rolls(LogSegment active) {
            this.recoveredBytes = active == null ? 0 : active.written();
        }

        /** Counts a segment that was ended; for the thread that has the turn. */
        @SuppressWarnings("NonAtomicVolatileUpdate") // whoever has the turn is the only writer
        void onRolled(LogSegment ended) {
            rolls++;
            endedBytes += ended.written();
        }

        long count() {
            return rolls;
        }

        /** Returns the bytes appended since open. */
        long appendedBytes(LogSegment active) {
            return endedBytes + (active == null ? 0 : active.written()) - recoveredBytes;
        }
    }
}
