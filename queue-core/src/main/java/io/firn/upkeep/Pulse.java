package io.firn.upkeep;

import io.firn.background.Duties;
import io.firn.background.Duty;
import io.firn.log.SegmentedLog;

/**
 * Notices appends to a partition, so that an append itself has next to nothing to do: while the
 * partition changes, this looks at it at intervals and calls the duties that may have become due.
 * An idle partition is not looked at; its next append calls this duty.
 *
 * <p>The order by which no append goes unnoticed: first the writer is told to call, and an interval
 * later the partition is looked at once more. An append that did not see the request to call has
 * become visible long before that; a later one calls.
 */
final class Pulse extends Duty {
    static final long INTERVAL_MS = 100;

    private final SegmentedLog log;
    private final Runnable onChange;
    private long seenNext = -1;
    private long seenDurable = -1;
    private long nextLookMs = NEVER;
    private boolean isCalledByAppends;

    /**
     * Creates the duty of a partition.
     *
     * @param onChange called when something was appended or forced
     */
    Pulse(Duties duties, SegmentedLog log, Runnable onChange) {
        super(duties, log, "a look at its appends");
        this.log = log;
        this.onChange = onChange;
    }

    @Override
    public int run() {
        if (log.state().isGone()) {
            return 0;
        }
        long durable = log.durableOffset();
        long next = log.nextOffset();
        boolean changed = next != seenNext || durable != seenDurable;
        if (changed) {
            seenNext = next;
            seenDurable = durable;
            isCalledByAppends = false;
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
