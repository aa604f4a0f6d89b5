package io.firn.background;

/**
 * Wakes threads that wait for something to change. The thread that changes it pays one volatile
 * read when no thread waits, and no fence: that read may overtake the write that it announces, and
 * a waiter that has just entered is then missed. So a waiter checks again after a millisecond.
 *
 * <p>A thread that waits for long need not go on checking ({@link #await(int, long)}): a write
 * leaves a processor's store buffer within microseconds, so whatever a waker that missed it has
 * written is seen by the next check, and later wakers see that a thread waits. Between its check
 * and its wait it misses nothing, because wake-ups are counted.
 */
public final class Signal {
    private static final long SLICE_NS = 1_000_000;
    private static final long LONGEST_NS = 10_000_000_000L;

    private volatile int waiting;

    /** Wake-ups for which a thread waited. */
    private volatile int wakeUps;

    /**
     * Waits for a wake-up, but at most a millisecond and at most the given time; the caller then
     * checks again.
     */
    @SuppressWarnings("WaitNotInLoop") // the loop is the caller's
    public synchronized void await(long maxNs) throws InterruptedException {
        long ns = Math.min(maxNs, SLICE_NS);
        if (ns > 0) {
            wait(ns / 1_000_000, (int) (ns % 1_000_000));
        }
    }

    /** The number of wake-ups; a waiter asks for it before it checks what it waits for. */
    public int wakeUps() {
        return wakeUps;
    }

    /**
     * Waits for a wake-up after those that were counted, or until the time is over; the caller then
     * checks again. It has announced itself once, and not left since.
     *
     * @param counted {@link #wakeUps} before the caller's last check
     * @return whether there was such a wake-up
     */
    @SuppressWarnings("WaitNotInLoop") // the loop is the caller's
    public synchronized boolean await(int counted, long maxNs) throws InterruptedException {
        if (counted == wakeUps && maxNs > 0) {
            wait(maxNs / 1_000_000, (int) (maxNs % 1_000_000));
        }
        return counted != wakeUps;
    }

    /** The time to wait after a wait of this time without a wake-up; 0 for the first. */
    public static long nextNs(long waitedNs) {
        return waitedNs == 0 ? SLICE_NS : Math.min(LONGEST_NS, 2 * waitedNs);
    }

    /** Announces a waiter; called before its last check of what it waits for. */
    public synchronized void enter() {
        waiting++;
    }

    public synchronized void leave() {
        waiting--;
    }

    /** Wakes all that wait. */
    public void wake() {
        if (waiting != 0) {
            synchronized (this) {
                wakeUps++;
                notifyAll();
            }
        }
    }
}
