package io.firn.append;

import io.firn.Appender;
import io.firn.RecordTooLargeException;
import io.firn.StoreFullException;
import io.firn.UnexpectedOffsetException;
import io.firn.append.Admission.Origin;
import io.firn.block.NextBlock;
import io.firn.force.PartitionForcer;
import io.firn.format.BatchEncoder;
import io.firn.format.RecordEncoder;
import io.firn.format.Source;
import io.firn.log.BatchInfo;
import io.firn.log.LogSegment;
import io.firn.log.LogState;
import io.firn.log.SegmentedLog;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import java.io.IOException;
import org.agrona.concurrent.EpochClock;

/**
 * The append path of a partition, for the thread that has the turn. Nothing here allocates, locks,
 * or waits: when a block is missing, the result is {@link Appender#BACK_PRESSURED}.
 *
 * <p>The order of an append: roll if the batch does not fit; store the batch and the zeros after
 * it; then publish the new end with one ordered store. A reader that sees the end sees the bytes. A
 * store that fails poisons the partition before anything is published.
 */
public final class PartitionWriter implements Admission.BatchStore {
    private final SegmentedLog log;
    private final LogState state;
    private final PartitionForcer forcer;
    private final NextBlock nextBlock;
    private final EpochClock clock;
    private final RecordEncoder encoder;
    private final SegmentBytes bytes;
    private final Admission admission;
    private final BackgroundCalls calls;
    private final WriterPins pins;
    private final Source noKey = new Source().none();
    private LogSegment active;

    /**
     * The next offset while there is an active segment. The log has it, too, and the segment where
     * its batches end ({@link SegmentBytes#position}); but readers take the lines with these away.
     */
    private long nextOffset;

    private volatile boolean rollWanted;

    /** Whether room was made in the active segment and has not been used yet. */
    private boolean claimed;

    PartitionWriter(
            SegmentedLog log,
            PartitionForcer forcer,
            NextBlock nextBlock,
            LogSegment active,
            Admission admission) {
        this.log = log;
        this.state = log.state();
        this.forcer = forcer;
        this.nextBlock = nextBlock;
        this.clock = log.store().clock();
        this.encoder = new RecordEncoder(log.topic().options().maxRecordBytes());
        this.bytes = new SegmentBytes(log);
        this.admission = admission;
        this.calls = new BackgroundCalls(log, forcer);
        this.pins = new WriterPins(log);
        activate(active);
    }

    private void activate(LogSegment segment) {
        active = segment;
        nextOffset = log.nextOffset();
        bytes.begin(segment);
    }

    private long nextOffset() {
        return active == null ? log.nextOffset() : nextOffset; // a truncation ends the segment
    }

    /** Throws when the next record would not get the offset that a caller expects, if it does. */
    void checkNext(long expected) {
        if (expected != BatchEncoder.ANY_OFFSET && expected != nextOffset()) {
            throw new UnexpectedOffsetException(expected, nextOffset());
        }
    }

    /** Appends one record with only a value; returns its offset. */
    long append(Source value) {
        return append(noKey, value);
    }

    /** Appends one record, which may have no key or no value; returns its offset. */
    long append(Source key, Source value) {
        if (key.length() < 0) {
            state.checkTakesKeyless();
        } else {
            state.checkWritable();
        }
        int size = encoder.begin(key, value.length());
        LogSegment segment = room(size, 1);
        return segment == null ? Appender.BACK_PRESSURED : store(segment, size, value);
    }

    /** Makes room for a value that will follow; false when a block is missing. */
    boolean claim(int valueLength) {
        state.checkTakesKeyless();
        claimed = room(encoder.begin(noKey, valueLength), 1) != null;
        return claimed;
    }

    /** Appends the value for which room was made; returns its offset. */
    long commitClaim(Source value) {
        claimed = false;
        state.checkTakesKeyless();
        long offset = store(active, encoder.begin(noKey, value.length()), value);
        if (offset < 0) {
            throw new StoreFullException(
                    log + ": the medium has no space for the claimed record; nothing is appended",
                    null);
        }
        return offset;
    }

    void abortClaim() {
        claimed = false;
    }

    /**
     * Appends a whole, checked batch; returns its base offset, or for a repeated one the base
     * offset that it got the first time.
     */
    long append(Source batch, BatchInfo info, Origin origin) {
        if (info.producerId() >= 0) {
            return append(batch, info, origin, admission);
        }
        state.checkWritable();
        return store(batch, info, origin);
    }

    /** Appends a whole, checked batch as what admits it decides. */
    long append(Source batch, BatchInfo info, Origin origin, Admission by) {
        state.checkWritable();
        return by.append(batch, info, origin, this);
    }

    /** Whether an open claim has room that nothing else may take. */
    boolean isClaimed() {
        return claimed;
    }

    /**
     * Ends a segment if it is still the active one, or gives it back if it is empty; the caller has
     * the turn.
     *
     * @return false when a claim has room in it, so that it ends only with the next append
     */
    @SuppressWarnings("ReferenceEquality") // this very segment
    public boolean endSegment(LogSegment segment) {
        if (active == segment) {
            rollWanted = claimed && segment.written() > 0;
            if (claimed) {
                return false;
            }
            endOrDiscard(segment);
        }
        return true;
    }

    /** Pins the active segment: the writer stores to it for as long as an appender is open. */
    void pin() {
        pins.pin(active);
        bytes.share();
    }

    /** Called when there are no more appends; an open claim is void. */
    void unpin() {
        claimed = false;
        pins.unpin();
        bytes.unshare();
    }

    /** Stores a record whose encoding has begun. */
    private long store(LogSegment segment, int size, Source value) {
        long offset = nextOffset();
        long time = clock.time();
        try {
            bytes.store(size, encoder, offset, time, value);
        } catch (StoreFullException e) {
            return endFull(segment);
        } catch (IOException e) {
            return againOrFailed(e);
        }
        publish(segment, size, offset, 1, time);
        return offset;
    }

    /** Stores and publishes a batch without looking at its producer. */
    @Override
    public long store(Source batch, BatchInfo info, Origin origin) {
        LogSegment segment = room(batch.length(), info.count());
        return segment == null ? Appender.BACK_PRESSURED : store(segment, batch, info, origin);
    }

    /**
     * Stores batches of another log as they are, the first of which has the next offset and the
     * others follow without gaps. {@link #publishReplicated} publishes them.
     *
     * @param count how many offsets they have
     * @param epochBits the epoch of the first one
     * @return false when a block is missing
     */
    public boolean storeReplicated(Source batches, int count, int epochBits) {
        state.checkWritable();
        LogSegment segment = room(batches.length(), count);
        return segment != null && put(segment, batches, epochBits, Origin.FOREIGN);
    }

    /** Publishes the next one of the batches that were stored. */
    public void publishReplicated(int size, BatchInfo info) {
        publish(active, size, nextOffset(), info.count(), info.maxTimestamp());
    }

    /** Whether a batch fits the active segment, if there is one. */
    public boolean fits(int size, int count) {
        return active == null || fits(active, size, count);
    }

    private long store(LogSegment segment, Source batch, BatchInfo info, Origin origin) {
        long offset = nextOffset();
        if (!put(segment, batch, segment.epochBits(), origin)) {
            return Appender.BACK_PRESSURED;
        }
        publish(segment, batch.length(), offset, info.count(), info.maxTimestamp());
        return offset;
    }

    /** Stores what is not published yet; false when it has to be stored again. */
    private boolean put(LogSegment segment, Source batch, int epochBits, Origin origin) {
        try {
            bytes.store(batch, nextOffset(), epochBits, origin);
            return true;
        } catch (StoreFullException e) {
            endFull(segment);
        } catch (IOException e) {
            againOrFailed(e);
        }
        return false;
    }

    /** Background: whether space is to be prepared. */
    boolean isSpaceWanted() {
        return bytes.isSpaceWanted();
    }

    /** Background: whether it is used up soon. */
    boolean isSpaceUrgent() {
        return bytes.isSpaceUrgent();
    }

    /** Background: prepares it. A medium that fails poisons the partition. */
    void prepareSpace() throws IOException {
        try {
            bytes.prepare(log.isDurable());
        } catch (IOException e) {
            if (OutOfDescriptorsException.isReasonFor(e)) {
                throw e; // the background tries again
            }
            // The system reports once that a page of the file was not written: it may be a batch's.
            throw log.poison(e);
        }
    }

    /**
     * Ends a segment for whose next batch the medium has no space (O19): another tier may have
     * room. What was written of the batch is taken back, because it may be whole and was not
     * acknowledged.
     */
    private long endFull(LogSegment segment) {
        try {
            bytes.takeBack();
        } catch (IOException | StoreFullException e) {
            throw failed(e);
        }
        endOrDiscard(segment);
        return Appender.BACK_PRESSURED;
    }

    private void endOrDiscard(LogSegment segment) {
        activate(null);
        if (segment.written() > 0) {
            end(segment);
        } else {
            pins.letGo();
            log.discard(segment);
        }
    }

    /**
     * A write failed; nothing is published. If only the file could not be opened, the batch is
     * written at the same place when it is appended again: pieces of it that were written before
     * are no whole batch.
     */
    private long againOrFailed(IOException e) {
        if (OutOfDescriptorsException.isReasonFor(e)) {
            nextBlock.onShortage(e);
            return Appender.BACK_PRESSURED;
        }
        throw failed(e);
    }

    /** The medium failed in a write; nothing is published. */
    private RuntimeException failed(Exception e) {
        state.checkWritable(); // it may just have been closed or deleted
        return log.poison(e);
    }

    private void publish(LogSegment segment, int size, long offset, int count, long maxTimestamp) {
        int position = bytes.position();
        int end = position + size;
        int lastOffset = (int) (offset - segment.baseOffset()) + count - 1;
        segment.index().onBatch(position, size, lastOffset, maxTimestamp);
        long pair = (offset + count - segment.baseOffset()) << 32 | end;
        bytes.moveTo(end);
        nextOffset = offset + count;
        segment.setEnd(pair);
        log.publishNext(offset + count, pair);
        calls.onAppended(segment, end);
    }

    /** Returns what calls the background. */
    BackgroundCalls calls() {
        return calls;
    }

    private LogSegment room(int size, int count) {
        LogSegment segment = active;
        if (segment != null && fits(segment, size, count)) {
            if (bytes.isZeroed(size)) {
                nextBlock.onZeros();
                return null;
            }
            return segment;
        }
        return roll(size);
    }

    private boolean fits(LogSegment segment, int size, int count) {
        return segment.capacity() - bytes.position() >= size
                && !rollWanted
                // Offsets in a segment are stored as ints, and a foreign batch that is
                // compressed may count more records than it has bytes.
                && nextOffset() - segment.baseOffset() <= Integer.MAX_VALUE - count;
    }

    private LogSegment roll(int size) {
        if (size > log.topic().segmentBytes()) {
            throw new RecordTooLargeException(
                    "the batch has "
                            + size
                            + " bytes, a segment of "
                            + log
                            + " holds "
                            + log.topic().segmentBytes());
        }
        LogSegment next = nextBlock.take();
        if (next == null) {
            return null;
        }
        next.beginAt(nextOffset());
        if (log.topic().isReplicated()) {
            begin(next);
        }
        LogSegment ended = active;
        activate(null); // whatever fails from here on, the next append begins another segment
        if (ended != null) {
            end(ended);
        }
        log.addSegment(next);
        rollWanted = false;
        activate(next);
        pins.take(next);
        calls.callAtNextAppend();
        return next;
    }

    /** In a replicated topic the mark says that a segment counts, and where it begins (O27). */
    private void begin(LogSegment next) {
        try {
            next.marks().writeFirst(log.store().timeMs());
        } catch (IOException e) {
            next.takeHold().unpin();
            log.events().onDiscarded(next);
            throw failed(e);
        }
    }

    /** Ends the active segment, empty or not; no claim is open. */
    public void endActive() {
        LogSegment ended = active;
        activate(null);
        if (ended != null && ended.written() > 0) {
            end(ended);
        } else {
            pins.letGo();
        }
    }

    /** The segment that is appended to; null when there is none. */
    public LogSegment active() {
        return active;
    }

    private void end(LogSegment segment) {
        pins.letGo();
        segment.roll(nextOffset());
        log.onRolled(segment);
        AppendEvents.RollEvent.emit(log, segment);
        forcer.call();
    }
}
