package io.firn.block;

import io.firn.StoreFullException;
import io.firn.log.SegmentedLog;
import javax.annotation.concurrent.GuardedBy;

/**
 * How long appends to a partition have found no file descriptor. A shortage that is over soon is
 * waited for; one that lasts is an error for who waits. Nothing has to note its end: one at another
 * end of the log, or after a pause, is another one. Thread-safe.
 */
final class AppendShortage {
    private static final long LONG_NS = 10_000_000_000L;

    /** Longer than the pauses between the tries of the background. */
    private static final long QUIET_NS = 3_000_000_000L;

    private final SegmentedLog log;

    @GuardedBy("this")
    private Throwable why;

    @GuardedBy("this")
    private long offset;

    @GuardedBy("this")
    private long sinceNs;

    @GuardedBy("this")
    private long lastNs;

    AppendShortage(SegmentedLog log) {
        this.log = log;
    }

    /** Notes that an append found none. */
    synchronized void note(Throwable error) {
        long now = log.store().nowNs();
        long next = log.nextOffset();
        if (!isNow(now, next)) {
            offset = next;
            sinceNs = now;
        }
        lastNs = now;
        why = error;
    }

    /** Whether the last append found none. */
    synchronized boolean isNow() {
        return isNow(log.store().nowNs(), log.nextOffset());
    }

    @GuardedBy("this")
    private boolean isNow(long now, long next) {
        return why != null && next == offset && now - lastNs < QUIET_NS;
    }

    /**
     * Checks that it does not last.
     *
     * @throws StoreFullException when there has been none for long
     */
    synchronized void check() {
        if (isNow() && lastNs - sinceNs >= LONG_NS) {
            throw new StoreFullException(
                    log
                            + ": for "
                            + (lastNs - sinceNs) / 1_000_000_000
                            + " s a file that the append needs could not be opened; nothing is"
                            + " appended: "
                            + why.getMessage(),
                    why);
        }
    }
}
