package io.firn.block;

import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.spi.View;

/**
 * Releases the views of sealed segments that were not read for a while, so that their files do not
 * stay mapped for ever. It is called when a reader maps a segment, and does nothing while none is
 * mapped.
 */
public final class IdleViewDuty extends Duty {
    private static final long INTERVAL_MS = 10_000;

    private final SegmentedLog log;
    private final DeferredDeleteDuty releases;
    private long nextLookMs = NEVER;

    public IdleViewDuty(Duties duties, SegmentedLog log, DeferredDeleteDuty releases) {
        super(duties, log.subject(), "idle views");
        this.log = log;
        this.releases = releases;
    }

    @Override
    public int run() {
        if (log.state().isGone()) {
            return 0;
        }
        // The first run comes at once, and finds that the new view is in use.
        boolean isTime = nowMs() >= nextLookMs || nextLookMs - nowMs() > INTERVAL_MS;
        boolean isAnyLeft = false;
        for (LogSegment segment : log.segments()) {
            if (segment.isSealed() && segment.block().isFinished() && segment.hasView()) {
                View idle = isTime ? segment.detachIdleView() : null;
                if (idle == null) {
                    isAnyLeft = true;
                } else {
                    releases.later(idle, null, DeferredDeleteDuty.Release.NOTHING);
                }
            }
        }
        if (!isAnyLeft) {
            nextLookMs = NEVER;
            return 0;
        }
        if (isTime) {
            nextLookMs = nowMs() + INTERVAL_MS;
        }
        againAt(nextLookMs);
        return 0;
    }
}
