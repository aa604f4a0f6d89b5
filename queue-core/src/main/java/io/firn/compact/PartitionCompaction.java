package io.firn.compact;

import io.firn.Finding.Kind;
import io.firn.InvalidOptionException;
import io.firn.LogStore.MoveControl;
import io.firn.PartitionReader;
import io.firn.PartitionReader.CompactionResult;
import io.firn.TopicOptions;
import io.firn.background.Duty;
import io.firn.findings.FindingKey;
import io.firn.findings.Findings;
import io.firn.log.SegmentedLog;
import io.firn.upkeep.PartitionUpkeep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Compacts one partition when enough of it is dirty, or a record has waited for as long as the
 * topic's options allow. It is called when a segment has its final form, and when options change.
 */
public final class PartitionCompaction extends Duty {
    /** After this time segments are tried again that were skipped; each time it doubles. */
    private static final long RETRY_MS = 15_000;

    private static final int MOST_DOUBLINGS = 6;

    private final Compactor compactor;
    private final SegmentedLog log;
    private final FindingKey failed;
    private final FindingKey hasSkipped;
    private final PartitionUpkeep upkeep;
    private final SkippedSegments skipped = new SkippedSegments();
    private final AtomicLong runs = new AtomicLong();
    private final AtomicLong savedBytes = new AtomicLong();

    /** How many runs in succession have skipped what they tried. */
    private volatile int hindered;

    private volatile Last last = new Last(-1, null);

    /** The error of the last run; null when it returned. */
    private volatile Error failure;

    /** What the last run that was not cancelled has skipped. */
    private volatile List<String> lastSkipped = List.of();

    private record Last(long timeMs, CompactionResult result) {}

    /** Named as what it implements, since its text begins with the name. */
    private record CompactionMetrics(
            double dirtyRatio,
            long runs,
            long savedBytes,
            Optional<Instant> lastRunTime,
            Optional<CompactionResult> lastRun,
            Optional<Error> failure)
            implements PartitionReader.CompactionMetrics {}

    /** Creates the duty of a partition. */
    public PartitionCompaction(Compactor compactor, SegmentedLog log, PartitionUpkeep upkeep) {
        super(log.store().background().compacting(), log.subject(), "compaction");
        this.compactor = compactor;
        this.log = log;
        this.upkeep = upkeep;
        this.failed = FindingKey.of(Kind.COMPACTION_FAILED, log.subject());
        this.hasSkipped = FindingKey.of(Kind.COMPACTION_SKIPPED, log.subject());
    }

    SegmentedLog log() {
        return log;
    }

    /**
     * Does what is due. After an error it does nothing until a user asks for it: the same again
     * would be next, and may end the process.
     */
    @Override
    public int run() {
        try {
            return failure == null ? runOnce() : 0;
        } catch (InternalError e) {
            throw e; // of a medium, which may recover
        } catch (VirtualMachineError | LinkageError e) {
            failure = e;
            noteFindings();
            return 0;
        }
    }

    private int runOnce() {
        TopicOptions options = log.topic().options();
        if (!isOn() || !log.state().mayCompact()) {
            return 0;
        }
        skipped.expire(nowMs());
        againAt(skipped.nextMs());
        DirtyRange range =
                DirtyRange.of(log, options.minCompactionLag().toMillis(), nowMs(), skipped);
        againAt(range.nextMs());
        if (range.dirtyBytes() == 0) {
            return 0;
        }
        long overdueMs = overdueMs(options, range.oldestMs());
        if (range.dirtyRatio() < options.minDirtyRatio() && nowMs() < overdueMs) {
            againAt(overdueMs);
            return 0;
        }
        CompactionResult result = compactor.compact(this, compactor.newRate());
        long from =
                DirtyRange.of(log, options.minCompactionLag().toMillis(), nowMs(), skipped).from();
        if (result.compactedTo() < result.endOffset() && from > range.from()) {
            call(); // there were more keys than the memory has room for
        } else if (!result.skipped().isEmpty()) {
            againAt(retryMs());
        }
        return 1;
    }

    /** Compacts what may be compacted now, on the caller's thread. For the compactor. */
    CompactionResult compact(int mostKeyBytes, MoveControl control) {
        try {
            CompactionResult result = tryCompact(mostKeyBytes, control);
            failure = null;
            noteFindings();
            return result;
        } catch (InternalError e) {
            throw e;
        } catch (Error e) {
            failure = e;
            noteFindings();
            throw e;
        }
    }

    private CompactionResult tryCompact(int mostKeyBytes, MoveControl control) {
        log.state().checkMovable();
        if (!isOn()) {
            throw new InvalidOptionException(
                    log.topic().name()
                            + " is not compacted: its option cleanup is "
                            + log.topic().options().cleanup()
                            + "; choose COMPACT or COMPACT_AND_DELETE first");
        }
        CompactionEvent event = new CompactionEvent();
        event.begin();
        skipped.expire(log.store().timeMs());
        skipped.retryAt(retryMs());
        Compaction compaction = new Compaction(log, upkeep, mostKeyBytes, skipped, control);
        CompactionResult result = compaction.run();
        event.end(log, result);
        if (compaction.wasHindered()) {
            hindered = Math.min(hindered + 1, MOST_DOUBLINGS);
        } else if (result.skipped().isEmpty()) {
            hindered = 0;
        }
        if (!compaction.wasCancelled()) {
            lastSkipped = result.skipped();
        }
        runs.incrementAndGet();
        savedBytes.addAndGet(result.bytesBefore() - result.bytesAfter());
        last = new Last(log.store().timeMs(), result);
        return result;
    }

    /** Returns its metrics. Any thread. */
    public PartitionReader.CompactionMetrics metrics() {
        DirtyRange range =
                DirtyRange.withSkipped(
                        log,
                        log.topic().options().minCompactionLag().toMillis(),
                        log.store().timeMs(),
                        skipped);
        Last now = last;
        return new CompactionMetrics(
                range.dirtyRatio(),
                runs.get(),
                savedBytes.get(),
                now.result() == null
                        ? Optional.empty()
                        : Optional.of(Instant.ofEpochMilli(now.timeMs())),
                Optional.ofNullable(now.result()),
                Optional.ofNullable(failure));
    }

    /** Begins and ends its findings: also called when the options of the topic have changed. */
    public synchronized void noteFindings() {
        Findings findings = log.store().findings();
        Error error = failure;
        if (error != null && isOn()) {
            findings.begin(failed, finding(error), error);
        } else {
            findings.end(failed);
        }
        List<String> now = lastSkipped;
        if (now.isEmpty() || !isOn()) {
            findings.end(hasSkipped);
            return;
        }
        findings.begin(
                hasSkipped,
                log
                        + ": the last compaction has skipped "
                        + now.size()
                        + " segments, whose superseded records stay until they can be"
                        + " compacted; the first is "
                        + now.get(0));
    }

    private String finding(Error error) {
        return log
                + ": its compaction has ended with "
                + error
                + " and is not tried again by itself: compact it on request, or open the store"
                + " again, when the cause is gone";
    }

    private long retryMs() {
        return later(log.store().timeMs(), RETRY_MS << hindered);
    }

    private boolean isOn() {
        return log.topic().options().cleanup().isCompacting();
    }

    /** Returns the time at which a record is compacted in any case that is older than a time. */
    private static long overdueMs(TopicOptions options, long oldestMs) {
        long maxLagMs = options.maxCompactionLag().map(Duration::toMillis).orElse(Long.MAX_VALUE);
        return later(oldestMs, maxLagMs);
    }
}
