package io.firn.upkeep;

import io.firn.FirnException;
import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.io.IOException;

/**
 * Writes into the mark of a partition's first unsealed segment how far it is durable: never more
 * than was forced before. About once in a mark interval at most, and only if something changed.
 *
 * <p>A mark may be in the same file as the batches, and the system reports only once that a page of
 * a file was not written. What fails here may therefore be a batch, whose force would return
 * normally afterwards: it poisons the partition, as a force of batches does. A poisoned partition
 * gets no more marks.
 */
final class MarkDuty extends Duty {
    /** It runs earlier by this part of the interval than to be called again for the rest of it. */
    private static final int EARLY_PART = 16;

    private final SegmentedLog log;
    private final long intervalMs;
    private long lastMs;

    MarkDuty(Duties duties, SegmentedLog log) {
        super(duties, log.subject(), "marks");
        this.log = log;
        this.intervalMs = log.store().config().markIntervalMs();
    }

    @Override
    public int run() {
        LogSegment segment = log.segmentList().oldestUnsealed();
        if (log.state().isGone() || log.state().isPoisoned()) {
            return 0;
        }
        if (segment == null || !segment.marks().isDue()) {
            return 0;
        }
        long sinceMs = nowMs() - lastMs;
        if (sinceMs >= 0 && sinceMs < intervalMs - intervalMs / EARLY_PART) {
            againAt(lastMs + intervalMs);
            return 0;
        }
        lastMs = nowMs();
        write(segment, nowMs());
        return 0;
    }

    /**
     * Writes the last mark, if something changed: with a fresh epoch for the next process (O33), so
     * that what this one has stored and not published never counts.
     */
    void writeLast(long nowMs) throws IOException {
        LogSegment segment = log.segmentList().oldestUnsealed();
        if (segment == null) {
            return;
        }
        boolean hasForeignEpochs = log.topic().isReplicated(); // recovery looks at these anyway
        if (!segment.isUsed() || hasForeignEpochs || log.state().isPoisoned()) {
            write(segment, nowMs);
            return;
        }
        boolean isNews = segment.marks().isDue();
        try {
            segment.marks().writeLast(log.store().nextEpoch(), nowMs);
        } catch (IOException | InternalError e) {
            if (isNews) {
                throw log.poison(e);
            }
            throw e; // all is durable, only the next open has more to do
        } catch (FirnException e) { // there is no fresh epoch
            write(segment, nowMs);
            throw e;
        }
    }

    private void write(LogSegment segment, long nowMs) {
        try {
            segment.marks().write(nowMs);
        } catch (IOException | InternalError e) { // the latter is a fault in a mapping
            throw log.poison(e);
        }
    }
}
