package io.firn.store;

/**
 * Notices what appends do to a partition, so that an append itself does next to nothing: as long as
 * the partition changes, this looks at it in intervals and calls for the duties that may have
 * become due. A partition that rests is not looked at: its next append calls.
 *
 * <p>The order that no append goes unnoticed by: first the writer is told to call, then the
 * partition is looked at once more, an interval later. An append that did not see yet that it is to
 * call has long become visible by then; one that comes later calls.
 */
final class Pulse extends Duty {
    static final long INTERVAL_MS = 100;

    private final PartitionLog log;
    private final PartitionUpkeep upkeep;
    private long seenNext = -1;
    private long seenDurable = -1;
    private long nextLookMs = NEVER;
    private boolean isCalledByAppends;

    Pulse(Duties duties, PartitionLog log, PartitionUpkeep upkeep) {
        super(duties, log, "a look at its appends");
        this.log = log;
        this.upkeep = upkeep;
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
            upkeep.onChange();
        } else if (nowMs() < nextLookMs && nextLookMs - nowMs() <= INTERVAL_MS) {
            againAt(nextLookMs); // called for without need
            return 0;
        }
        boolean isSettled = durable == next || log.state().isPoisoned();
        boolean rests = isCalledByAppends && log.writer().isToCall();
        if (changed || !isSettled || !rests) {
            if (!changed && isSettled) {
                isCalledByAppends = true;
                log.writer().callAtNextAppend();
            }
            nextLookMs = nowMs() + INTERVAL_MS;
            againAt(nextLookMs);
        } else {
            nextLookMs = NEVER;
        }
        return 0;
    }
}
