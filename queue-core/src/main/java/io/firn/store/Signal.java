package io.firn.store;

/**
 * Wakes threads that wait for something to change. The one who changes it pays one volatile read
 * when nobody waits. A waiter looks again at least once per millisecond, so a wake-up that is
 * missed because the changer's read went ahead of its write costs a millisecond, never more.
 */
final class Signal {
    private static final long SLICE_NS = 1_000_000;
    private volatile int waiting;

    /**
     * Waits for a wake-up or for nothing; the caller looks again. At most a millisecond and at most
     * so long.
     */
    @SuppressWarnings("WaitNotInLoop") // the loop is the caller's
    synchronized void await(long maxNs) throws InterruptedException {
        long ns = Math.min(maxNs, SLICE_NS);
        if (ns > 0) {
            wait(ns / 1_000_000, (int) (ns % 1_000_000));
        }
    }

    /** To be called before the waiter's last look at what it waits for. */
    synchronized void enter() {
        waiting++;
    }

    synchronized void leave() {
        waiting--;
    }

    void wake() {
        if (waiting != 0) {
            synchronized (this) {
                notifyAll();
            }
        }
    }
}
