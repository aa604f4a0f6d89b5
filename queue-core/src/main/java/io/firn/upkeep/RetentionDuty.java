package io.firn.upkeep;

import io.firn.Finding.Kind;
import io.firn.RetainUntilRead;
import io.firn.TopicOptions;
import io.firn.append.OpenAppenders;
import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.block.Backlog;
import io.firn.block.DeferredDeleteDuty;
import io.firn.findings.FindingKey;
import io.firn.log.LogEvents.Checkpoint;
import io.firn.log.LogSegment;
import io.firn.log.SealTimes;
import io.firn.log.SegmentedLog;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Ends segments by age, raises the log start as size or age require, and deletes segments below the
 * log start. It is called when a segment was sealed or the start was raised, and knows when the
 * next segment becomes too old. It waits for readers as the topic's options say.
 *
 * <p>The order (O3): the log start is durable before a segment below it is deleted; before that, a
 * checkpoint contains what producers did in the segment (O8).
 */
final class RetentionDuty extends Duty {
    private static final long NOT_LOOKED = -1;
    private static final long NEVER = Long.MAX_VALUE;

    /** A partition that began a segment within this time is expected to begin another soon. */
    private static final long ROLLING_MS = 600_000;

    private final SegmentedLog log;
    private final OpenAppenders appenders;
    private final Checkpoint checkpoints;
    private final DeferredDeleteDuty releases;
    private final Backlog backlog;
    private final UnreadRecords unread;
    private final FindingKey clockAhead;

    RetentionDuty(
            Duties duties,
            SegmentedLog log,
            OpenAppenders appenders,
            Checkpoint checkpoints,
            DeferredDeleteDuty releases) {
        super(duties, log.subject(), "retention");
        this.log = log;
        this.appenders = appenders;
        this.checkpoints = checkpoints;
        this.releases = releases;
        this.backlog = releases.backlog();
        this.unread = new UnreadRecords(log);
        this.clockAhead = FindingKey.of(Kind.CLOCK_WAS_AHEAD, log.subject());
    }

    @Override
    public int run() throws IOException {
        if (log.state().isGone()) {
            return 0;
        }
        rollByAge();
        boolean failed = true;
        try {
            int done = raiseStartAndDelete();
            failed = false;
            return done;
        } finally {
            backlog.onRetention(failed);
        }
    }

    private int raiseStartAndDelete() throws IOException {
        int raised;
        int deleted;
        try {
            synchronized (log.state().retaining()) {
                raised = raiseStart();
            }
        } finally {
            deleted = deleteBelowStart(); // the start may have been raised on request
        }
        unread.checkKnown();
        return raised + deleted;
    }

    /** A record is compacted only in a sealed segment, so that must not come too late. */
    private static long rollMs(TopicOptions options) {
        long rollMs = msOrNever(options.rollAge());
        return options.cleanup().isCompacting()
                ? Math.min(rollMs, msOrNever(options.maxCompactionLag()))
                : rollMs;
    }

    private static long msOrNever(Optional<Duration> limit) {
        return limit.map(Duration::toMillis).orElse(NEVER);
    }

    private void rollByAge() {
        long rollMs = rollMs(log.topic().options());
        LogSegment active = log.activeSegment();
        if (rollMs == NEVER || active == null || active.written() == 0) {
            return;
        }
        long endsMs = later(active.marks().beginTimeMs(nowMs()), rollMs);
        if (nowMs() < endsMs) {
            againAt(endsMs);
        } else if (!appenders.endSegment(active)) {
            againSoon();
        }
    }

    /** The number of records that were deleted since open although a reader had not passed them. */
    long unreadDeleted() {
        return unread.deleted();
    }

    /**
     * Whole sealed segments only. What is due but unread stays until its reader's position is
     * persisted further on, upon which this is called, or until a limit is exceeded. The limits
     * also decide when the position cannot be read.
     */
    private int raiseStart() throws IOException {
        TopicOptions options = log.topic().options();
        LogSegment[] all = log.segments();
        SealTimes sealed = SealTimes.of(all, nowMs());
        noteClock(sealed);
        if (!options.cleanup().isDeleting()) {
            return 0;
        }
        RetainUntilRead readers = options.retainUntilRead();
        long bytes = 0;
        if (options.retentionBytes().isPresent() || readers.limitBytes().isPresent()) {
            for (LogSegment segment : all) {
                bytes += segment.written();
            }
        }
        long before = log.logStartOffset();
        long start = before;
        long readTo = NOT_LOOKED;
        for (int i = 0; i < all.length; i++) {
            LogSegment segment = all[i];
            if (!sealed.isSealed(i)) {
                break;
            }
            long sealTimeMs = sealed.ms(i);
            long bytesAfter = bytes - segment.written();
            if (!isMore(bytesAfter, options.retentionBytes())
                    && !isTooOld(sealTimeMs, options.retentionAge())) {
                break;
            }
            if (readTo == NOT_LOOKED) {
                readTo = unread.readTo();
            }
            if (segment.endOffset() > readTo
                    && !isMore(bytesAfter, readers.limitBytes())
                    && !isTooOld(sealTimeMs, readers.limitAge())) {
                break;
            }
            bytes = bytesAfter;
            start = segment.endOffset();
        }
        start = Math.min(start, log.durableOffset());
        if (start <= before) {
            return 0;
        }
        log.raiseLogStart(start);
        unread.onDeleted(before, start);
        return 1;
    }

    private static boolean isMore(long bytes, OptionalLong limit) {
        return limit.isPresent() && bytes >= limit.getAsLong();
    }

    private void noteClock(SealTimes sealed) {
        if (sealed.areAhead()) {
            log.store().findings().begin(clockAhead, sealed.finding(log));
            againAt(later(sealed.latestMs(), 1));
        } else {
            log.store().findings().end(clockAhead);
        }
    }

    private boolean isTooOld(long sealTimeMs, Optional<Duration> limit) {
        if (limit.isEmpty()) {
            return false;
        }
        long keptUntilMs = later(sealTimeMs, limit.get().toMillis());
        if (nowMs() > keptUntilMs) {
            return true;
        }
        againAt(keptUntilMs + 1);
        return false;
    }

    /** Whether the file of a deleted segment is likely to be used again soon. */
    private boolean isRolling() {
        LogSegment active = log.activeSegment();
        return active != null && nowMs() - active.marks().beginTimeMs(nowMs()) < ROLLING_MS;
    }

    /** Deletes segments that are wholly below the log start, which is durable by now. */
    int deleteBelowStart() throws IOException {
        int deleted = 0;
        for (LogSegment segment : log.segments()) {
            boolean below = segment.endOffset() <= log.logStartOffset();
            if (!below || !segment.isSealed() || !segment.block().isFinished()) {
                break;
            }
            if (!checkpoints.covers(segment)) {
                break;
            }
            if (!segment.doom()) {
                againSoon(); // its copy is being published
                break;
            }
            log.segmentList().removeFirst(segment);
            if (isRolling()) {
                releases.recycle(segment);
            } else {
                releases.retire(segment, true);
            }
            deleted++;
        }
        if (deleted > 0) {
            log.publisher().segmentsChanged();
        }
        return deleted;
    }
}
