package io.firn.background;

import javax.annotation.concurrent.GuardedBy;
import org.agrona.concurrent.EpochClock;

/**
 * The clock that decides when duties are due. While a clock of the user's fails, it repeats the
 * last time that was told. No other clock takes its place: by the system's, all that is kept for a
 * while might be too old at once. Thread-safe; the user's clock is called under no lock.
 */
final class CheckedClock {
    private final EpochClock clock;
    private final Attempts attempts;

    @GuardedBy("this")
    private final BackOff trouble;

    private volatile boolean isFailing;

    CheckedClock(EpochClock clock, Attempts attempts) {
        this.clock = clock;
        this.attempts = attempts;
        this.trouble = new BackOff(attempts.clock(), 0);
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
        trouble.onSuccess();
        isFailing = false;
    }

    private synchronized void onFailure(RuntimeException e) {
        attempts.failed("the clock", e, trouble);
        isFailing = true;
    }
}
