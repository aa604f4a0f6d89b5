package io.firn.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets one thread at a time through; allocation-free, unlike a queueing lock. For turns that are
 * short or whose waiters have something better to wait for (a force).
 */
final class AppendGate {
    private static final VarHandle TAKEN;
    private static final int SPINS = 200;
    private static final int YIELDS = 20;

    static {
        try {
            TAKEN = MethodHandles.lookup().findVarHandle(AppendGate.class, "taken", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile boolean taken;

    boolean tryEnter() {
        return !taken && TAKEN.compareAndSet(this, false, true);
    }

    void enter() {
        int tries = 0;
        while (!tryEnter()) {
            pause(tries++);
        }
    }

    /** Waits a little for the end of a short turn; longer after many tries. */
    static void pause(int tries) {
        if (tries < SPINS) {
            Thread.onSpinWait();
        } else if (tries < SPINS + YIELDS) {
            Thread.yield();
        } else {
            // The holder was preempted; parking gives it the core.
            LockSupport.parkNanos(20_000);
        }
    }

    boolean isTaken() {
        return taken;
    }

    /** Everything done inside is visible to the next thread that enters. */
    void leave() {
        TAKEN.setRelease(this, false);
    }
}
