package io.firn.background;

/**
 * Wakes threads that wait for something to change. The thread that changes it pays one volatile
 * read when nobody waits. A waiter checks again at least once per millisecond, so a wake-up that is
 * missed because that read overtook the write costs at most a millisecond.
 */
public final class Signal {
    private static final long SLICE_NS = 1_000_000;
    private volatile int waiting;

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

    /** Announces a waiter; called before its last check of what it waits for. */
    public synchronized void enter() {
        waiting++;
    }

    public synchronized void leave() {
        waiting--;
    }

    public void wake() {
        if (waiting != 0) {
            synchronized (this) {
                notifyAll();
            }
        }
    }
}
