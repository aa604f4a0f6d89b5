package io.firn.forward;

import io.firn.host.VisibleListener;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Wakes the thread of Forward when there is something to read. */
final class Wakeup implements VisibleListener {
    private volatile Thread waiting;

    @Override
    public void onVisible() {
        Thread woken = waiting;
        if (woken != null) {
            LockSupport.unpark(woken);
        }
    }

    /**
     * Waits until it is woken, or the time is over. An append has no fence between its offset and
     * the look at {@code waiting}, so the time must be short.
     */
    void await(long ns, BooleanSupplier isNeedless) {
        waiting = Thread.currentThread();
        if (!isNeedless.getAsBoolean()) {
            LockSupport.parkNanos(this, ns);
        }
        waiting = null;
    }
}
