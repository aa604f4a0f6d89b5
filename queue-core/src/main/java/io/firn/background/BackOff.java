package io.firn.background;

import org.agrona.concurrent.NanoClock;

/**
 * The pause before something that failed is tried again: one second after the first failure, twice
 * as long after each further one, up to a limit. For one thread at a time.
 */
public final class BackOff {
    private static final long FIRST_PAUSE_NS = 1_000_000_000;
    private static final long SHORTAGE_PAUSE_NS = 200_000_000;
    private static final int MOST_DOUBLINGS = 6;

    private final NanoClock clock;
    private final int mostDoublings;
    private int failures;
    private long pauseNs;
    private long notBeforeNs;

    /** Doubles the pause up to about a minute. */
    public BackOff(NanoClock clock) {
        this(clock, MOST_DOUBLINGS);
    }

    /** Doubles the pause at most this many times. */
    public BackOff(NanoClock clock, int mostDoublings) {
        this.clock = clock;
        this.mostDoublings = mostDoublings;
    }

    /** Notes a failure; the pause begins now. */
    public void onFailure() {
        pauseNs = FIRST_PAUSE_NS << Math.min(failures++, mostDoublings);
        notBeforeNs = clock.nanoTime() + pauseNs;
    }

    /**
     * Notes a failure for a shortage of what others in the process give back at any time: a short
     * pause begins now, however many there were before.
     */
    public void onShortage() {
        failures = 1;
        pauseNs = SHORTAGE_PAUSE_NS;
        notBeforeNs = clock.nanoTime() + pauseNs;
    }

    /** Notes a success: the next failure is the first one again. */
    public void onSuccess() {
        failures = 0;
    }

    /** Whether the last try failed. */
    public boolean isFailing() {
        return failures > 0;
    }

    /** The length of the pause that began with the last failure, in seconds. */
    public long pauseSeconds() {
        return pauseNs / FIRST_PAUSE_NS;
    }

    /** What is left of the pause in ns; 0 or less when it is over, or when the last try worked. */
    public long leftNs() {
        return failures == 0 ? 0 : notBeforeNs - clock.nanoTime();
    }
}
