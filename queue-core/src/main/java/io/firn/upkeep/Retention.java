package io.firn.upkeep;

import io.firn.TopicOptions;
import io.firn.append.OpenAppenders;
import io.firn.background.Duties;
import io.firn.background.Duty;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.io.IOException;

/**
 * Ends segments by age, raises the log start as size or age require, and deletes segments below the
 * log start. It is called when a segment was sealed or the start was raised, and knows when the
 * next segment becomes too old.
 *
 * <p>The order (O3): the log start is durable before a segment below it is deleted; before that, a
 * checkpoint contains what producers did in the segment (O8).
 */
final class Retention extends Duty {
    private final SegmentedLog log;
    private final OpenAppenders appenders;
    private final Checkpoints checkpoints;
    private final Releases releases;

    Retention(
            Duties duties,
            SegmentedLog log,
            OpenAppenders appenders,
            Checkpoints checkpoints,
            Releases releases) {
        super(duties, log, "retention");
        this.log = log;
        this.appenders = appenders;
        this.checkpoints = checkpoints;
        this.releases = releases;
    }

    @Override
    public int run() throws IOException {
        if (log.state().isGone()) {
            return 0;
        }
        rollByAge();
        return raiseStart() + deleteBelowStart();
    }

    private void rollByAge() {
        long rollMs = log.topic().options().rollMs();
        LogSegment active = log.activeSegment();
        if (rollMs == TopicOptions.UNLIMITED || active == null || active.written() == 0) {
            return;
        }
        long endsMs = later(active.beginTimeMs(nowMs()), rollMs);
        if (nowMs() < endsMs) {
            againAt(endsMs);
        } else if (!appenders.endSegment(active)) {
            againSoon();
        }
    }

    /** Whole sealed segments only. */
    private int raiseStart() throws IOException {
        TopicOptions options = log.topic().options();
        LogSegment[] all = log.segments();
        long bytes = 0;
        if (options.retentionBytes() != TopicOptions.UNLIMITED) {
            for (LogSegment segment : all) {
                bytes += segment.written();
            }
        }
        long start = log.logStartOffset();
        for (LogSegment segment : all) {
            if (!segment.sealed) {
                break;
            }
            boolean tooMuch =
                    options.retentionBytes() != TopicOptions.UNLIMITED
                            && bytes - segment.written() >= options.retentionBytes();
            if (!tooMuch && !isTooOld(segment, options.retentionMs())) {
                break;
            }
            bytes -= segment.written();
            start = segment.endOffset;
        }
        if (start <= log.logStartOffset()) {
            return 0;
        }
        log.raiseLogStart(Math.min(start, log.durableOffset()));
        return 1;
    }

    private boolean isTooOld(LogSegment segment, long retentionMs) {
        if (retentionMs == TopicOptions.UNLIMITED) {
            return false;
        }
        long keptUntilMs = later(segment.block.mark().sealTimeMs(), retentionMs);
        if (nowMs() > keptUntilMs) {
            return true;
        }
        againAt(keptUntilMs + 1);
        return false;
    }

    /** Deletes segments that are wholly below the log start, which is durable by now. */
    int deleteBelowStart() throws IOException {
        int deleted = 0;
        for (LogSegment segment : log.segments()) {
            boolean below = segment.endOffset <= log.logStartOffset();
            if (!below || !segment.sealed || !segment.block.isFinished()) {
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
            releases.retire(segment, true);
            deleted++;
        }
        if (deleted > 0) {
            log.ends().changed();
        }
        return deleted;
    }
}
