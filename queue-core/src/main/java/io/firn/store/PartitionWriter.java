package io.firn.store;

import io.firn.Appender;
import io.firn.RecordTooLargeException;
import io.firn.batch.BatchFormat;
import io.firn.batch.Source;
import io.firn.batch.ValueEncoder;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.agrona.concurrent.EpochClock;

/**
 * The append path of a partition; one thread at a time, which has the turn. Nothing here allocates,
 * locks, or waits: when a block is missing the answer is {@link Appender#BACK_PRESSURED}.
 *
 * <p>The order of an append: roll when it does not fit; store the batch and the zeros after it;
 * then publish the new end with one ordered store. A reader that sees the end sees the bytes. A
 * failing store poisons the partition before anything is published.
 */
final class PartitionWriter {
    /** So many zero bytes follow the last batch, so that no remains of old batches continue it. */
    static final int TAIL_ZEROS = 12;

    private final PartitionLog log;
    private final EpochClock clock;
    private final ValueEncoder encoder;
    private final CRC32C crc = new CRC32C();
    private LogSegment active;
    private View pinned;
    private volatile boolean rollWanted;

    PartitionWriter(PartitionLog log, LogSegment active) {
        this.log = log;
        this.clock = log.store().clock();
        this.encoder = new ValueEncoder(log.topic().options().maxRecordBytes());
        this.active = active;
    }

    /** Appends one record with only a value; returns its offset. */
    long append(Source value) {
        log.checkWritable();
        int size = encoder.begin(value.length());
        LogSegment segment = room(size, 1);
        if (segment == null) {
            return Appender.BACK_PRESSURED;
        }
        long offset = log.nextOffset();
        long time = clock.time();
        encoder.store(segment.memory, segment.written(), offset, segment.epochBits, time, value);
        publish(segment, size, offset, 1, time);
        return offset;
    }

    /** Prepares room for a value; null when a block is missing. */
    LogSegment claim(int valueLength) {
        log.checkWritable();
        return room(encoder.begin(valueLength), 1);
    }

    /** Where the claimed value lies. */
    int claimPosition() {
        return active.written() + encoder.valuePosition();
    }

    /** Completes the claimed record around its value; returns its offset. */
    long commitClaim(int valueLength) {
        log.checkWritable();
        int size = encoder.begin(valueLength);
        long offset = log.nextOffset();
        long time = clock.time();
        encoder.storeAround(active.memory, active.written(), offset, active.epochBits, time);
        publish(active, size, offset, 1, time);
        return offset;
    }

    /**
     * Appends a whole, checked batch; returns its base offset, or for a repeated one the base
     * offset that it got the first time.
     *
     * @param hasCrc whether its CRC is right; otherwise it is computed here
     */
    long append(Source batch, BatchInfo info, boolean hasCrc) {
        log.checkWritable();
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
            long offset = store(batch, info, hasCrc);
            if (offset >= 0) {
                producers.record(
                        info.producerId(),
                        info.producerEpoch(),
                        info.baseSequence(),
                        info.count(),
                        offset,
                        clock.time());
            }
            return offset;
        }
    }

    /** Begins a new segment at the next append, or now when nothing is being appended. */
    void wantRoll() {
        rollWanted = true;
    }

    /** Ends the active segment although nothing follows yet; the caller has the turn. */
    void endSegment() {
        rollWanted = false;
        if (active != null && active.written() > 0) {
            end(active);
            active = null;
        }
    }

    /**
     * The writer's stores go on as long as an appender is open, so the bytes must stay in place.
     */
    void pin() {
        if (active != null && pinned == null) {
            try {
                pinned = active.pin();
            } catch (IOException e) {
                log.checkWritable(); // closed or deleted just now
                throw log.poison(e);
            }
        }
    }

    void unpin() {
        if (pinned != null) {
            pinned.unpin();
            pinned = null;
        }
    }

    private long store(Source batch, BatchInfo info, boolean hasCrc) {
        int size = batch.length();
        LogSegment segment = room(size, info.count());
        if (segment == null) {
            return Appender.BACK_PRESSURED;
        }
        long offset = log.nextOffset();
        int at = segment.written();
        ByteBuffer memory = segment.memory;
        batch.copyTo(memory, at);
        memory.putLong(at + BatchFormat.BASE_OFFSET, offset);
        memory.putInt(at + BatchFormat.EPOCH, segment.epochBits);
        if (!hasCrc) {
            // After the copy, whose lines come into the cache meanwhile.
            crc.reset();
            batch.updateCrc(crc, BatchFormat.ATTRIBUTES);
            memory.putInt(at + BatchFormat.CRC, (int) crc.getValue());
        }
        publish(segment, size, offset, info.count(), info.maxTimestamp());
        return offset;
    }

    private void publish(LogSegment segment, int size, long offset, int count, long maxTimestamp) {
        int position = segment.written();
        int end = position + size;
        if (segment.capacity - end >= TAIL_ZEROS) {
            segment.memory.putLong(end, 0);
            segment.memory.putInt(end + Long.BYTES, 0);
        }
        int lastOffset = (int) (offset - segment.baseOffset) + count - 1;
        segment.index().onBatch(position, size, lastOffset, maxTimestamp);
        segment.setWritten(end, offset + count);
        log.publishNext(offset + count);
    }

    private LogSegment room(int size, int count) {
        LogSegment segment = active;
        if (segment != null
                && segment.capacity - segment.written() >= size
                && !rollWanted
                // Offsets within a segment are kept as ints, and a foreign batch that is
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
        LogSegment next = log.takeReserved();
        if (next == null) {
            return null;
        }
        next.baseOffset = log.nextOffset();
        if (active != null) {
            end(active);
        }
        rollWanted = false;
        active = next;
        pinned = next.takeHold();
        log.addSegment(next);
        return next;
    }

    private void end(LogSegment segment) {
        unpin();
        segment.endOffset = log.nextOffset();
        log.onRolled(segment);
    }
}
