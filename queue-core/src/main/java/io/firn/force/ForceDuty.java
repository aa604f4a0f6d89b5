package io.firn.force;

import io.firn.background.Duty;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;

/**
 * Forces in the background what no appender waits for: records of tryAppend, and WRITTEN topics
 * when they reach their bytes or their time. It also seals rolled segments.
 */
final class ForceDuty extends Duty {
    private static final long NOT_DIRTY = Long.MIN_VALUE;
    private static final long LOOK_AGAIN_MS = 100;

    private final SegmentedLog log;
    private final PartitionForcer forcer;
    private volatile boolean wanted;
    private long dirtySinceMs = NOT_DIRTY;
    private boolean looksAgain;
    private boolean isCalledByAppends;
    private long lookAgainMs;

    ForceDuty(SegmentedLog log, PartitionForcer forcer) {
        super(log.store().forcing(), log.subject(), "force");
        this.log = log;
        this.forcer = forcer;
    }

    /** Asks for a force; for appends that do not wait. */
    void want() {
        if (!wanted) {
            wanted = true;
            call();
        }
    }

    /** The tier that is forced first. */
    @Override
    protected int lane() {
        LogSegment next = log.segmentList().oldestUnsealed();
        return next == null ? 0 : log.store().stateOf(next.block().tier()).index();
    }

    /** It then only fails futures. */
    @Override
    public boolean isForLost() {
        return true;
    }

    /** Acknowledgements come before topics that are forced by time or bytes. */
    @Override
    protected boolean isUrgent() {
        return log.isDurable() || forcer.hasPending();
    }

    /**
     * Forces what was requested or is due, and seals rolled segments. An append requests without a
     * fence, and may find its request already made while its record is not visible yet: so there is
     * one more look after a force, which finds the record.
     */
    @Override
    public int run() {
        if (log.state().isPoisoned() || log.state().isGone()) {
            return forcer.failPoisoned();
        }
        boolean isDirty = log.durableOffset() < log.nextOffset();
        // A wait for a record that has not been appended yet needs no force.
        boolean isAsked =
                wanted || (isDirty && (forcer.hasPending() || (looksAgain && log.isDurable())));
        LogSegment active = log.activeSegment(); // before it may be rolled
        boolean isWanted = isAsked || log.hasRolledUnsealed();
        if (!isWanted && !isDue(isDirty)) {
            restOrLookAgain(isDirty);
            return 0;
        }
        boolean isByBytes = !isWanted && hasEnoughBytes();
        if (isByBytes) {
            lookLater();
        } else {
            wanted = false;
            dirtySinceMs = NOT_DIRTY;
            callByAppends(); // before the end is captured: appends after it call
        }
        boolean hasForced = forcer.forceNow();
        if (isByBytes && log.activeSegment() != active) {
            callByAppends(); // where the writer calls next is a position in the segment before
        }
        return hasForced ? 1 : 0;
    }

    /**
     * Leaves the next append alone after a force that came by bytes. The writer has called, and
     * calls again after as many bytes ({@link PartitionForcer#quietUpTo}); until then this looks at
     * the time. An append that called after each force would wake a thread twice as often.
     */
    private void lookLater() {
        dirtySinceMs = nowMs();
        isCalledByAppends = false;
        againAt(later(dirtySinceMs, Math.min(forceMs(), LOOK_AGAIN_MS)));
    }

    /** Makes the next append to a WRITTEN topic call, and then looks once more. */
    private void callByAppends() {
        isCalledByAppends = true;
        looksAgain = true;
        lookAgainMs = nowMs() + LOOK_AGAIN_MS;
        againAt(lookAgainMs);
        if (!log.isDurable()) {
            log.alarm().callAtNextAppend();
        }
    }

    /** Whether a WRITTEN topic has reached its bytes or its time. */
    private boolean isDue(boolean isDirty) {
        if (log.isDurable() || !isDirty) {
            return false;
        }
        if (dirtySinceMs == NOT_DIRTY || nowMs() < dirtySinceMs) {
            dirtySinceMs = nowMs();
        }
        return nowMs() - dirtySinceMs >= forceMs() || hasEnoughBytes();
    }

    private long forceMs() {
        return log.topic().options().forceInterval().toMillis();
    }

    private boolean hasEnoughBytes() {
        return log.appendedBytes() - forcer.forcedBytes() >= log.topic().options().forceBytes();
    }

    private void restOrLookAgain(boolean isDirty) {
        boolean rests = !isDirty && isCalledByAppends && log.alarm().isToCall();
        if (log.isDurable() || rests) {
            boolean isTime = nowMs() >= lookAgainMs || lookAgainMs - nowMs() > LOOK_AGAIN_MS;
            looksAgain &= !isTime;
            if (looksAgain) {
                againAt(lookAgainMs); // called for without need
            }
        } else if (isDirty) {
            isCalledByAppends = false;
            againAt(later(dirtySinceMs, forceMs()));
        } else {
            // Another thread has forced, an append calls whose record was forced by then, or there
            // was none after a force by bytes.
            dirtySinceMs = NOT_DIRTY;
            callByAppends();
        }
    }
}
