package io.firn.block;

import io.firn.StoreFullException;
import io.firn.log.SegmentedLog;
import javax.annotation.concurrent.GuardedBy;

/**
 * How long appends to a partition have found no file descriptor. A shortage that is over soon is
 * waited for; one that lasts is an error for who waits, and for each later append at once. A
 * partition that has no file at all waits for a moment only, since it has none to give back.
 * Nothing has to note its end: one at another end of the log, or after a pause, is another one.
 * Thread-safe.
 */
final class AppendShortage {
    private static final long LONG_NS = 10_000_000_000L;
    private static final long LONG_WITHOUT_FILE_NS = 1_000_000_000L;

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
     * @throws StoreFullException when it has lasted for long, here or in the store
     */
    synchronized void check() {
        long most = log.segments().length == 0 ? LONG_WITHOUT_FILE_NS : LONG_NS;
        if (isNow() && (lastNs - sinceNs >= most || log.store().descriptors().hasLasted(most))) {
            throw new StoreFullException(
                    log
                            + ": a file that the append needs could not be opened; nothing is"
                            + " appended: "
                            + why.getMessage(),
                    why);
        }
    }
}
