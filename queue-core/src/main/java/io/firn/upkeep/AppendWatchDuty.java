package io.firn.upkeep;

import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.log.SegmentedLog;

/**
 * Notices appends to a partition, so that an append itself has next to nothing to do: while the
 * partition changes, this looks at it at intervals and calls the duties that may have become due.
 * An idle partition is not looked at; its next append calls this duty.
 *
 * <p>The order by which no append goes unnoticed: first the writer is told to call, and an interval
 * later the partition is looked at once more. An append that did not see the request to call has
 * become visible long before that; a later one calls.
 *
 * <p>While the next look is fixed, an append need not call at all, which would wake the thread.
 */
final class AppendWatchDuty extends Duty {
    static final long INTERVAL_MS = 100;

    private final SegmentedLog log;
    private final Runnable onChange;
    private final boolean wakes;
    private long seenNext = -1;
    private long seenDurable = -1;
    private long seenTruncations;
    private long nextLookMs = NEVER;
    private boolean isCalledByAppends;

    /**
     * Whether the next look is fixed, so that appends need not call. Cleared before the writer is
     * told to call; an append that did not see this is found by the look an interval later.
     */
    private volatile boolean isLooking;

    /**
     * Creates the duty of a partition.
     *
     * @param onChange called when something was appended or forced
     * @param wakes whether a call wakes a thread
     */
    AppendWatchDuty(Duties duties, SegmentedLog log, Runnable onChange, boolean wakes) {
        super(duties, log.subject(), "a look at its appends");
        this.log = log;
        this.onChange = onChange;
        this.wakes = wakes;
    }

    /** For appends: makes it look, unless it does so before long anyway. */
    void onAppended() {
        if (!isLooking) {
            call();
        }
    }

    @Override
    public int run() {
        if (log.state().isGone()) {
            return 0;
        }
        long durable = log.durableOffset();
        long next = log.nextOffset();
        // After a truncation, a log may end again where it ended before.
        long truncations = log.truncations().count();
        boolean changed =
                next != seenNext || durable != seenDurable || truncations != seenTruncations;
        if (changed) {
            seenTruncations = truncations;
            seenNext = next;
            seenDurable = durable;
            isCalledByAppends = false;
            isLooking = wakes;
            onChange.run();
        } else if (nowMs() < nextLookMs && nextLookMs - nowMs() <= INTERVAL_MS) {
            againAt(nextLookMs); // called too early
            return 0;
        }
        boolean isSettled = durable == next || log.state().isPoisoned();
        boolean rests = isCalledByAppends && log.alarm().isToCall();
        if (changed || !isSettled || !rests) {
            if (!changed && isSettled) {
                isCalledByAppends = true;
                isLooking = false;
                log.alarm().callAtNextAppend();
            }
            nextLookMs = nowMs() + INTERVAL_MS;
            againAt(nextLookMs);
        } else {
            nextLookMs = NEVER;
        }
        return 0;
    }
}
