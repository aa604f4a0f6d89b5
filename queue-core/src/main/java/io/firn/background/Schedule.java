package io.firn.background;

import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * When duties are due that are not called: at a time of the store's clock, or after a pause by the
 * system's, because they failed or wait for something of which nothing notifies them. For one
 * thread at a time.
 */
final class Schedule {
    static final long TICK_NS = 1_000_000;
    private static final long LONGEST_POLL_NS = 64_000_000;
    private static final Comparator<Duty> BY_TIME =
            Comparator.<Duty>comparingLong(duty -> duty.dueMs).thenComparingLong(Duty::number);

    private final TreeSet<Duty> timed = new TreeSet<>(BY_TIME);

    /** Those that failed, and those that poll. */
    private final Set<Duty> setAside = new LinkedHashSet<>();

    private final boolean paced;
    private long pollNs = TICK_NS;
    private long nextPollNs;
    private long nextAsideNs;

    /**
     * Creates it empty.
     *
     * @param paced whether polls have pauses; otherwise each look polls
     */
    Schedule(boolean paced) {
        this.paced = paced;
    }

    /** Adds all that have a time to those that are ready. */
    void takeTimed(ReadyDuties ready) {
        for (Duty duty : List.copyOf(timed)) {
            take(duty, ready);
        }
    }

    /** Adds those that are due by the store's clock. */
    void takeDue(long nowMs, ReadyDuties ready) {
        while (!timed.isEmpty() && timed.first().dueMs <= nowMs) {
            take(timed.first(), ready);
        }
    }

    private void take(Duty duty, ReadyDuties ready) {
        timed.remove(duty);
        duty.dueMs = Duty.NEVER;
        if (duty.noteCall()) {
            ready.add(duty);
        }
    }

    /** Adds those whose pause is over. */
    void takeSetAside(ReadyDuties ready) {
        if (setAside.isEmpty() || (paced && System.nanoTime() - nextAsideNs < 0)) {
            return;
        }
        boolean polls = !paced || System.nanoTime() - nextPollNs >= 0;
        for (Iterator<Duty> each = setAside.iterator(); each.hasNext(); ) {
            Duty duty = each.next();
            boolean isDue = duty.backOff().isFailing() ? duty.backOff().leftNs() <= 0 : polls;
            if (isDue && duty.noteCall()) {
                each.remove(); // it notes itself that it was here
                ready.add(duty);
            }
        }
        if (polls) {
            pollNs = Math.min(2 * pollNs, LONGEST_POLL_NS);
            nextPollNs = System.nanoTime() + pollNs;
        }
        nextAsideNs = System.nanoTime() + asideNs(LONGEST_POLL_NS);
    }

    /** A run begins; what the duty asked for before is void. */
    void onBegin(Duty duty) {
        if (duty.dueMs != Duty.NEVER) {
            timed.remove(duty);
            duty.dueMs = Duty.NEVER;
        }
        duty.polls = false;
        if (duty.isSetAside) {
            setAside.remove(duty);
        }
    }

    /** A run has ended. */
    void onEnd(Duty duty, int work, long nowMs) {
        boolean failed = work == Attempts.FAILED;
        if (failed) {
            duty.dueMs = Duty.NEVER; // it is tried again after its pause
        }
        if (duty.dueMs != Duty.NEVER) {
            duty.dueMs = Math.max(duty.dueMs, nowMs + 1);
            timed.add(duty);
        }
        boolean isToBe = failed || duty.polls;
        if (isToBe) {
            setAside(duty, failed, work > 0);
        }
        duty.isSetAside = isToBe;
    }

    private void setAside(Duty duty, boolean failed, boolean resetsPolls) {
        long now = System.nanoTime();
        if (!duty.isSetAside || resetsPolls) {
            pollNs = TICK_NS;
            nextPollNs = now + pollNs;
        }
        long lookAtNs = failed ? now + duty.backOff().leftNs() : nextPollNs;
        if (setAside.isEmpty() || lookAtNs - nextAsideNs < 0) {
            nextAsideNs = lookAtNs;
        }
        setAside.add(duty);
    }

    /** The time until the first one is due by the store's clock; {@link Duty#NEVER} for none. */
    long untilDueMs(long nowMs) {
        return timed.isEmpty() ? Duty.NEVER : Math.max(0, timed.first().dueMs - nowMs);
    }

    /** The time until the first pause ends, but at most the given one. */
    long asideNs(long most) {
        long ns = most;
        for (Duty duty : setAside) {
            boolean failing = duty.backOff().isFailing();
            long left = failing ? duty.backOff().leftNs() : nextPollNs - System.nanoTime();
            ns = Math.min(ns, left);
        }
        return ns;
    }
}
