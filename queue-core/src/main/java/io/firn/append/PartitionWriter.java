package io.firn.append;

import io.firn.Appender;
import io.firn.RecordTooLargeException;
import io.firn.batch.BatchFormat;
import io.firn.batch.Source;
import io.firn.batch.ValueEncoder;
import io.firn.force.PartitionForcer;
import io.firn.log.AppendAlarm;
import io.firn.log.BatchInfo;
import io.firn.log.LogSegment;
import io.firn.log.LogState;
import io.firn.log.Producers;
import io.firn.log.SegmentedLog;
import io.firn.spi.View;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.agrona.concurrent.EpochClock;

/**
 * The append path of a partition, for the thread that has the turn. Nothing here allocates, locks,
 * or waits: when a block is missing, the result is {@link Appender#BACK_PRESSURED}.
 *
 * <p>The order of an append: roll if the batch does not fit; store the batch and the zeros after
 * it; then publish the new end with one ordered store. A reader that sees the end sees the bytes. A
 * store that fails poisons the partition before anything is published.
 */
final class PartitionWriter implements AppendAlarm {
    private static final int ALWAYS = Integer.MAX_VALUE;

    /**
     * A smaller batch of this process costs less to store into a mapping than to write by a call.
     */
    private static final int CALL_FROM = 4096;

    private static final VarHandle QUIET_UP_TO;

    static {
        try {
            QUIET_UP_TO =
                    MethodHandles.lookup()
                            .findVarHandle(PartitionWriter.class, "quietUpTo", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SegmentedLog log;
    private final LogState state;
    private final PartitionForcer forcer;
    private final NextBlock nextBlock;
    private final EpochClock clock;
    private final ValueEncoder encoder;
    private final CRC32C crc = new CRC32C();
    private final CalledWrites calls;
    private LogSegment active;
    private View pinned;
    private volatile boolean rollWanted;

    /** Whether room was made in the active segment and has not been used yet. */
    private boolean claimed;

    /**
     * An append that goes beyond this position of the active segment calls the background. Only the
     * writer raises it, and calls then. It may undo what who lowers it did just before, and the
     * append that it calls for may be known already: before the background rests it looks whether
     * it will be called ({@link #isToCall}).
     */
    private volatile int quietUpTo;

    PartitionWriter(
            SegmentedLog log, PartitionForcer forcer, NextBlock nextBlock, LogSegment active) {
        this.log = log;
        this.state = log.state();
        this.forcer = forcer;
        this.nextBlock = nextBlock;
        this.clock = log.store().clock();
        this.encoder = new ValueEncoder(log.topic().options().maxRecordBytes());
        this.calls = new CalledWrites(log.store().writeBuffers());
        this.active = active;
    }

    /** Appends one record with only a value; returns its offset. */
    long append(Source value) {
        state.checkWritable();
        int size = encoder.begin(value.length());
        LogSegment segment = room(size, 1);
        return segment == null ? Appender.BACK_PRESSURED : store(segment, size, value);
    }

    /** Makes room for a value that will follow; false when a block is missing. */
    boolean claim(int valueLength) {
        state.checkWritable();
        claimed = room(encoder.begin(valueLength), 1) != null;
        return claimed;
    }

    /** Appends the value for which room was made; returns its offset. */
    long commitClaim(Source value) {
        claimed = false;
        state.checkWritable();
        return store(active, encoder.begin(value.length()), value);
    }

    void abortClaim() {
        claimed = false;
    }

    /**
     * Appends a whole, checked batch; returns its base offset, or for a repeated one the base
     * offset that it got the first time.
     *
     * @param hasCrc whether its CRC is right; otherwise it is computed here
     */
    long append(Source batch, BatchInfo info, boolean hasCrc) {
        state.checkWritable();
        if (info.producerId() < 0) {
            return store(batch, info, hasCrc);
        }
        Producers producers = log.producers();
        synchronized (producers) {
            long duplicate =
                    producers.check(
                            info.producerId(),
                            info.producerEpoch(),
                            info.baseSequence(),
                            info.count());
            if (duplicate != Producers.NEW) {
                return duplicate;
            }
            long time = clock.time(); // first: if the user's clock throws, nothing has been stored
            long offset = store(batch, info, hasCrc);
            if (offset >= 0) {
                producers.record(
                        info.producerId(),
                        info.producerEpoch(),
                        info.baseSequence(),
                        info.count(),
                        offset,
                        time);
            }
            return offset;
        }
    }

    /**
     * Ends a segment if it is still the active one; the caller has the turn.
     *
     * @return false when a claim has room in it, so that it ends only with the next append
     */
    @SuppressWarnings("ReferenceEquality") // this very segment
    boolean endSegment(LogSegment segment) {
        if (active == segment && segment.written() > 0) {
            rollWanted = claimed;
            if (claimed) {
                return false;
            }
            active = null;
            end(segment);
        }
        return true;
    }

    /** Pins the active segment: the writer stores to it for as long as an appender is open. */
    void pin() {
        if (active != null && pinned == null) {
            try {
                pinned = active.pin();
                trustFrom(active.written());
            } catch (IOException e) {
                state.checkWritable(); // it may just have been closed or deleted
                throw log.poison(e);
            }
        }
    }

    /** Lets readers know that the batches from a position on are those that are stored here. */
    private void trustFrom(int position) {
        pinned.verified().add(position, Integer.MAX_VALUE);
    }

    /** Called when there are no more appends; an open claim is void. */
    void unpin() {
        claimed = false;
        letGo();
    }

    private void letGo() {
        if (pinned != null) {
            pinned.unpin();
            pinned = null;
        }
    }

    /** Stores a value whose encoding has begun. */
    private long store(LogSegment segment, int size, Source value) {
        long offset = log.nextOffset();
        long time = clock.time();
        if (size >= CALL_FROM && segment.isWrittenByCalls) {
            try {
                calls.write(segment, size, encoder, offset, time, value);
            } catch (IOException e) {
                throw failed(e);
            }
        } else {
            int at = segment.written();
            encoder.store(segment.memory, at, offset, segment.epochBits, time, value);
            storeZeros(segment, at + size);
        }
        publish(segment, size, offset, 1, time);
        return offset;
    }

    private long store(Source batch, BatchInfo info, boolean hasCrc) {
        int size = batch.length();
        LogSegment segment = room(size, info.count());
        if (segment == null) {
            return Appender.BACK_PRESSURED;
        }
        long offset = log.nextOffset();
        if (segment.isWrittenByCalls) {
            try {
                calls.write(segment, batch, offset, hasCrc);
            } catch (IOException e) {
                throw failed(e);
            }
        } else {
            store(segment, batch, offset, hasCrc);
        }
        publish(segment, size, offset, info.count(), info.maxTimestamp());
        return offset;
    }

    private void store(LogSegment segment, Source batch, long offset, boolean hasCrc) {
        int at = segment.written();
        ByteBuffer memory = segment.memory;
        batch.copyTo(memory, at);
        memory.putLong(at + BatchFormat.BASE_OFFSET, offset);
        memory.putInt(at + BatchFormat.EPOCH, segment.epochBits);
        if (!hasCrc) {
            // After the copy, which has brought the lines into the cache.
            crc.reset();
            batch.updateCrc(crc, BatchFormat.ATTRIBUTES);
            memory.putInt(at + BatchFormat.CRC, (int) crc.getValue());
        }
        storeZeros(segment, at + batch.length());
    }

    /** After the last batch, so that no stale batch continues it. */
    private static void storeZeros(LogSegment segment, int end) {
        if (segment.capacity - end >= LogSegment.TAIL_ZEROS) {
            segment.memory.putLong(end, 0);
            segment.memory.putInt(end + Long.BYTES, 0);
        }
    }

    /** The medium failed in a write; nothing is published. */
    private RuntimeException failed(IOException e) {
        state.checkWritable(); // it may just have been closed or deleted
        return log.poison(e);
    }

    private void publish(LogSegment segment, int size, long offset, int count, long maxTimestamp) {
        int position = segment.written();
        int end = position + size;
        int lastOffset = (int) (offset - segment.baseOffset) + count - 1;
        segment.index().onBatch(position, size, lastOffset, maxTimestamp);
        segment.setWritten(end, offset + count);
        log.publishNext(offset + count);
        if (end > (int) QUIET_UP_TO.getOpaque(this)) {
            callBackground(segment, end);
        }
    }

    /** Calls the background, and sets the position from which it is called again. */
    private void callBackground(LogSegment segment, int end) {
        int fillsUpAt = NextBlock.reserveAbove(segment);
        boolean isFillingUp = end > fillsUpAt;
        int quiet = Math.min(forcer.quietUpTo(segment, end), isFillingUp ? ALWAYS : fillsUpAt);
        QUIET_UP_TO.setOpaque(this, quiet); // before the call, which may lower it again
        log.events().onAppended(isFillingUp);
        if (!log.isDurable()) {
            forcer.call();
        }
    }

    @Override
    public void callAtNextAppend() {
        QUIET_UP_TO.setVolatile(this, 0);
    }

    @Override
    public boolean isToCall() {
        LogSegment last = log.activeSegment();
        return last == null || quietUpTo <= last.written();
    }

    private LogSegment room(int size, int count) {
        LogSegment segment = active;
        if (segment != null
                && segment.capacity - segment.written() >= size
                && !rollWanted
                // Offsets in a segment are stored as ints, and a foreign batch that is
                // compressed may count more records than it has bytes.
                && log.nextOffset() - segment.baseOffset <= Integer.MAX_VALUE - count) {
            return segment;
        }
        return roll(size);
    }

    private LogSegment roll(int size) {
        if (size > log.segmentBytes()) {
            throw new RecordTooLargeException(
                    "the batch has "
                            + size
                            + " bytes, a segment of "
                            + log
                            + " holds "
                            + log.segmentBytes());
        }
        LogSegment next = nextBlock.take();
        if (next == null) {
            return null;
        }
        next.baseOffset = log.nextOffset();
        LogSegment ended = active;
        active = null; // whatever fails from here on, the next append begins another segment
        if (ended != null) {
            end(ended);
        }
        log.addSegment(next);
        rollWanted = false;
        active = next;
        pinned = next.takeHold();
        trustFrom(0);
        callAtNextAppend();
        return next;
    }

    private void end(LogSegment segment) {
        letGo();
        segment.endOffset = log.nextOffset();
        log.onRolled(segment);
        RollEvent.emit(log, segment);
        forcer.call();
    }
}
