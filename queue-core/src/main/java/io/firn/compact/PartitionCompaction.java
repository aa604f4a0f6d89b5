package io.firn.compact;

import io.firn.CompactionMetrics;
import io.firn.CompactionResult;
import io.firn.InvalidOptionException;
import io.firn.MoveControl;
import io.firn.TopicOptions;
import io.firn.background.Duty;
import io.firn.log.SegmentedLog;
import io.firn.upkeep.PartitionUpkeep;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Compacts one partition when enough of it is dirty, or a record has waited for as long as the
 * topic's options allow. It is called when a segment has its final form, and when options change.
 */
public final class PartitionCompaction extends Duty {
    /** After this time segments are tried again that were skipped. */
    private static final long RETRY_MS = 15_000;

    private final Compactor compactor;
    private final SegmentedLog log;
    private final PartitionUpkeep upkeep;
    private final Unreadable unreadable = new Unreadable();
    private final AtomicLong runs = new AtomicLong();
    private final AtomicLong savedBytes = new AtomicLong();
    private volatile Last last = new Last(-1, null);

    private record Last(long timeMs, CompactionResult result) {}

    private record Metrics(
            double dirtyRatio, long runs, long savedBytes, long lastRunMs, CompactionResult lastRun)
            implements CompactionMetrics {}

    /** Creates the duty of a partition. */
    public PartitionCompaction(Compactor compactor, SegmentedLog log, PartitionUpkeep upkeep) {
        super(log.store().background().compacting(), log, "compaction");
        this.compactor = compactor;
        this.log = log;
        this.upkeep = upkeep;
    }

    SegmentedLog log() {
        return log;
    }

    @Override
    public int run() {
        CompactionLimits limits = limits();
        if (!limits.isOn() || !log.state().mayMove()) {
            return 0;
        }
        DirtyPart part = DirtyPart.of(log, limits.minLagMs(), nowMs(), unreadable);
        againAt(part.nextMs());
        if (part.dirtyBytes() == 0) {
            return 0;
        }
        long overdueMs = limits.overdueMs(part.oldestMs());
        if (part.dirtyRatio() < limits.minDirtyRatio() && nowMs() < overdueMs) {
            againAt(overdueMs);
            return 0;
        }
        CompactionResult result = compactor.compact(this, compactor.newRate());
        long from = DirtyPart.of(log, limits.minLagMs(), nowMs(), unreadable).from();
        if (result.compactedTo() < result.endOffset() && from > part.from()) {
            call(); // there were more keys than the memory has room for
        } else if (!result.skipped().isEmpty()) {
            againAt(nowMs() + RETRY_MS);
        }
        return 1;
    }

    /** Compacts what may be compacted now, on the caller's thread. For the compactor. */
    CompactionResult compact(int mostKeyBytes, MoveControl control) {
        log.state().checkMovable();
        if (!limits().isOn()) {
            throw new InvalidOptionException(
                    log.topic().name()
                            + " is not compacted: its option cleanup is "
                            + log.topic().options().cleanup()
                            + "; choose COMPACT or COMPACT_AND_DELETE first");
        }
        CompactionEvent event = new CompactionEvent();
        event.begin();
        CompactionResult result =
                new Compaction(
                                log,
                                upkeep.releases(),
                                upkeep.checkpoints(),
                                limits(),
                                mostKeyBytes,
                                unreadable,
                                control)
                        .run();
        event.end(log, result);
        runs.incrementAndGet();
        savedBytes.addAndGet(result.bytesBefore() - result.bytesAfter());
        last = new Last(log.store().timeMs(), result);
        return result;
    }

    /** Returns its metrics. Any thread. */
    public CompactionMetrics metrics() {
        DirtyPart part = DirtyPart.of(log, limits().minLagMs(), log.store().timeMs(), unreadable);
        Last now = last;
        return new Metrics(
                part.dirtyRatio(), runs.get(), savedBytes.get(), now.timeMs(), now.result());
    }

    private CompactionLimits limits() {
        TopicOptions options = log.topic().options();
        return new CompactionLimits(
                options.cleanup().isCompacting(),
                options.minCompactionLagMs(),
                options.maxCompactionLagMs(),
                options.minDirtyRatio(),
                options.tombstoneRetentionMs());
    }
}
