package io.firn.replica;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.MediumException;
import io.firn.UnexpectedOffsetException;
import io.firn.append.PartitionWriter;
import io.firn.force.PartitionForcer;
import io.firn.format.BatchFormat;
import io.firn.format.FillerBatch;
import io.firn.format.MarkerBatch;
import io.firn.format.ReplicatedBatch;
import io.firn.format.Source;
import io.firn.host.InvalidBatchException;
import io.firn.host.TransactionCoordinator.PartitionProducer;
import io.firn.log.BatchInfo;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.producer.Producers;
import io.firn.producer.ReplicatedBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * The append path of a partition of a replicated topic, for the thread that has the turn.
 *
 * <p>A segment begins only when the one before is sealed. So at most one segment is unsealed, and
 * recovery has one end to find (O27).
 */
final class ReplicaWriter {
    /** The most offsets of one filler: a segment has room for fewer than 2³¹. */
    private static final long MOST_OFFSETS = 1L << 30;

    private static final long MOST_FILLED = 1L << 35;

    /**
     * So many bytes are stored at once. A call for each batch would cost more, and write zeros
     * after each; what is checked is still in a processor's cache when it is copied.
     */
    private static final int LONGEST_RUN = 1 << 20;

    private static final int NONE = -1;

    private final SegmentedLog log;
    private final Producers producers;
    private final PartitionForcer forcer;
    private final PartitionWriter writer;
    private final ReplicatedBatch verifier = new ReplicatedBatch();
    private final ReplicatedBatches noted;
    private final Source source = new Source();
    private final BatchInfo info = new BatchInfo();
    private final ByteBuffer filler = ByteBuffer.allocate(FillerBatch.LENGTH);

    ReplicaWriter(
            SegmentedLog log, Producers producers, PartitionForcer forcer, PartitionWriter writer) {
        this.log = log;
        this.producers = producers;
        this.forcer = forcer;
        this.writer = writer;
        this.noted = new ReplicatedBatches(producers);
    }

    /** As {@link io.firn.host.ReplicaAppender#append}. */
    int append(ByteBuffer batches) {
        int from = batches.position();
        int limit = batches.limit();
        int at = from;
        while (at < limit) {
            int end;
            try {
                end = at + verifier.check(batches, at, limit);
                checkFollows(batches, at);
                if (!cover(batches.getLong(at + BatchFormat.BASE_OFFSET))) {
                    break;
                }
                end = endOfRun(batches, at, end, limit);
                if (!store(batches, at, end)) {
                    break;
                }
            } catch (FirnException | InvalidOptionException e) {
                if (at > from) {
                    break; // what was taken counts; the next call says so
                }
                throw e;
            }
            at = end;
        }
        return at - from;
    }

    /**
     * Returns the end of the batches that can be stored at once: they follow each other without
     * gaps, and fit the active segment. One that is refused is left for the next run, which says
     * why.
     */
    private int endOfRun(ByteBuffer batches, int at, int firstEnd, int limit) {
        int end = firstEnd;
        if (writer.active() == null) {
            return end; // it is not known how large the segment is that begins with it
        }
        info.read(batches, at);
        int epoch = batches.getInt(at + BatchFormat.EPOCH);
        long next = log.nextOffset() + info.count();
        while (limit - end >= BatchFormat.HEADER_LENGTH) {
            int size = batches.getInt(end + BatchFormat.LENGTH) + BatchFormat.LENGTH_OVERHEAD;
            boolean follows =
                    batches.getLong(end + BatchFormat.BASE_OFFSET) == next
                            && batches.getInt(end + BatchFormat.EPOCH) >= epoch
                            && size >= BatchFormat.HEADER_LENGTH
                            && size <= Math.min(limit - end, LONGEST_RUN - (end - at));
            if (!follows || !isValid(batches, end, limit)) {
                break;
            }
            long after = next + info.read(batches, end).count();
            if (!fits(end + size - at, after - log.nextOffset())) {
                break;
            }
            epoch = batches.getInt(end + BatchFormat.EPOCH);
            next = after;
            end += size;
        }
        return end;
    }

    private boolean isValid(ByteBuffer batches, int at, int limit) {
        try {
            verifier.check(batches, at, limit);
            return true;
        } catch (InvalidBatchException e) {
            return false;
        }
    }

    private boolean fits(int size, long count) {
        return count <= Integer.MAX_VALUE && writer.fits(size, (int) count);
    }

    private void checkFollows(ByteBuffer batches, int at) {
        long base = batches.getLong(at + BatchFormat.BASE_OFFSET);
        if (base < log.nextOffset()) {
            throw isBelow("the batch begins at " + base, base);
        }
        int epoch = batches.getInt(at + BatchFormat.EPOCH);
        int last = producers.leaderEpochs().last();
        if (epoch < last) {
            throw new InvalidBatchException(
                    log
                            + ": the batch at "
                            + base
                            + " has leader epoch "
                            + epoch
                            + ", the one before it has "
                            + last
                            + ": this is not the log that was replicated so far");
        }
    }

    private UnexpectedOffsetException isBelow(String what, long offset) {
        return new UnexpectedOffsetException(
                log
                        + ": "
                        + what
                        + ", and everything below "
                        + log.nextOffset()
                        + " is here: continue there",
                offset,
                log.nextOffset());
    }

    /** As {@link io.firn.host.ReplicaAppender#fillTo}; returns false when a block is missing. */
    boolean fillTo(long offset) {
        return abortOpen(offset) && cover(offset);
    }

    /**
     * Ends the open transactions at offsets that the source has deleted, since their markers may be
     * among what was deleted, and readers would wait for them for ever. They are aborted: the
     * source shows nothing of them any more either. One that goes on behind is open again from
     * there.
     *
     * @return false when a block is missing before all are ended
     */
    private boolean abortOpen(long offset) {
        Map<Long, Integer> open = new TreeMap<>();
        for (PartitionProducer each : producers.list()) {
            if (each.firstOffset() != NONE) {
                open.put(each.identity().id(), each.identity().epoch());
            }
        }
        for (Map.Entry<Long, Integer> each : open.entrySet()) {
            if (log.nextOffset() >= offset) {
                return true;
            }
            byte[] bytes = MarkerBatch.encode(each.getKey(), each.getValue(), false, 0, NONE);
            ByteBuffer marker = ByteBuffer.wrap(bytes);
            marker.putLong(BatchFormat.BASE_OFFSET, log.nextOffset());
            marker.putInt(BatchFormat.EPOCH, producers.leaderEpochs().last());
            if (!store(marker, 0, bytes.length)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Covers the offsets up to one by fillers.
     *
     * @return false when a block is missing before all of them are covered
     */
    private boolean cover(long offset) {
        long next = log.nextOffset();
        if (offset < next) {
            throw isBelow("the offset to continue at is " + offset, offset);
        }
        if (offset > next && log.segments().length == 0) {
            begin(offset);
            return true;
        }
        if (offset - next >= MOST_FILLED) {
            throw new InvalidOptionException(
                    log
                            + ": the offsets from "
                            + next
                            + " to "
                            + offset
                            + " are too many to be covered: delete the topic, and replicate it anew");
        }
        while (next < offset) {
            long end = Math.min(offset, next + MOST_OFFSETS);
            int epoch = producers.leaderEpochs().last();
            FillerBatch.put(filler, 0, next, end, epoch);
            if (!store(filler, 0, FillerBatch.LENGTH)) {
                return false;
            }
            next = end;
        }
        return true;
    }

    private void begin(long offset) {
        log.state().checkWritable();
        try {
            log.beginAt(offset);
        } catch (IOException e) {
            throw new MediumException(log + ": the log start offset could not be written", e);
        }
    }

    /** Stores the batches from a position to another, and publishes each. */
    private boolean store(ByteBuffer bytes, int at, int end) {
        long count = 0;
        for (int i = at; i < end; i += BatchFormat.size(bytes, i)) {
            count += info.read(bytes, i).count();
        }
        if (!hasRoom(end - at, (int) count)) {
            return false;
        }
        source.wrap(bytes, at, end - at);
        if (!writer.storeReplicated(source, (int) count, bytes.getInt(at + BatchFormat.EPOCH))) {
            return false;
        }
        for (int i = at, size; i < end; i += size) {
            size = BatchFormat.size(bytes, i);
            publish(bytes, i, size);
        }
        return true;
    }

    private void publish(ByteBuffer bytes, int at, int size) {
        long ended;
        synchronized (producers) { // a checkpoint contains both the batch and what it says
            noted.before(bytes, at);
            writer.publishReplicated(size, info.read(bytes, at));
            ended = noted.after(bytes, at);
        }
        if (ended >= 0) {
            producers.transactions().release(ended, log.readers());
        }
    }

    /** Returns whether a batch fits the active segment, or another one may begin. */
    private boolean hasRoom(int size, int count) {
        LogSegment active = writer.active();
        if (active != null) {
            if (writer.fits(size, count)) {
                return true;
            }
            writer.endSegment(active);
        }
        if (log.hasRolledUnsealed()) {
            forcer.call();
            return false;
        }
        return true;
    }
}
