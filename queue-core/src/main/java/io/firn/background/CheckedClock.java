package io.firn.background;

import io.firn.findings.FindingKey;
import io.firn.findings.Subject;
import javax.annotation.concurrent.GuardedBy;
import org.agrona.concurrent.EpochClock;

/**
 * The clock that decides when duties are due. While a clock of the user's fails, it repeats the
 * last time that was told. No other clock takes its place: by the system's, all that is kept for a
 * while might be too old at once. Thread-safe; the user's clock is called under no lock.
 */
final class CheckedClock {
    private static final FindingKey JOB = FindingKey.job(Subject.named("the clock"), "time");

    private final EpochClock clock;
    private final CachedClock ticking;
    private final boolean isForeign;
    private final Attempts attempts;

    @GuardedBy("this")
    private final BackOff trouble;

    private volatile boolean isFailing;

    /**
     * Creates it.
     *
     * @param isForeign whether it is another clock than the store's own, and may jump
     * @param ticking the store's own clock, if it is to be kept up to date while it ticks; else
     *     null
     */
    CheckedClock(EpochClock clock, boolean isForeign, CachedClock ticking, Attempts attempts) {
        this.clock = clock;
        this.isForeign = isForeign;
        this.ticking = ticking;
        this.attempts = attempts;
        this.trouble = new BackOff(attempts.clock(), 0);
    }

    /** Returns what reports failures, of the clock and of what it is for. */
    Attempts attempts() {
        return attempts;
    }

    /** Keeps the store's own clock up to date. */
    void tick() {
        if (ticking != null) {
            ticking.update();
        }
    }

    /** Whether the store's own clock ticks, and has to be kept up to date. */
    boolean isTicking() {
        return ticking != null && ticking.isTicking();
    }

    /** Whether it is another clock than the store's own, and may jump. */
    boolean isForeign() {
        return isForeign;
    }

    /**
     * Returns the time.
     *
     * @param last the last time that was told
     */
    long timeMs(long last) {
        if (isFailing && isLeftAlone()) {
            return Math.max(0, last);
        }
        try {
            long now = clock.time();
            if (isFailing) {
                onSuccess();
            }
            return now;
        } catch (RuntimeException e) {
            onFailure(e);
            return Math.max(0, last);
        }
    }

    private synchronized boolean isLeftAlone() {
        return trouble.leftNs() > 0;
    }

    private synchronized void onSuccess() {
        attempts.succeeded(JOB, trouble);
        isFailing = false;
    }

    private synchronized void onFailure(RuntimeException e) {
        attempts.failed(JOB, e, trouble);
        isFailing = true;
    }
}
