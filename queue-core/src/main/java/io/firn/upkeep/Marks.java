package io.firn.upkeep;

import io.firn.background.Duties;
import io.firn.background.Duty;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.io.IOException;

/**
 * Writes into the mark of a partition's first unsealed segment how far it is durable: never more
 * than was forced before. At most once in a mark interval, and only if something changed.
 */
final class Marks extends Duty {
    private final SegmentedLog log;
    private final long intervalMs;
    private long lastMs;

    Marks(Duties duties, SegmentedLog log) {
        super(duties, log, "marks");
        this.log = log;
        this.intervalMs = log.store().config().markIntervalMs();
    }

    @Override
    public int run() throws IOException {
        LogSegment segment = log.segmentList().oldestUnsealed();
        if (log.state().isGone() || segment == null || !segment.isMarkDue()) {
            return 0;
        }
        long sinceMs = nowMs() - lastMs;
        if (sinceMs >= 0 && sinceMs < intervalMs) {
            againAt(lastMs + intervalMs);
            return 0;
        }
        lastMs = nowMs();
        segment.writeMark(nowMs());
        return 0;
    }

    /** Writes the mark now, if something changed. */
    void write(long nowMs) throws IOException {
        LogSegment segment = log.segmentList().oldestUnsealed();
        if (segment != null) {
            segment.writeMark(nowMs);
        }
    }
}
