package io.firn.background;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets one thread at a time through; allocation-free, unlike a queueing lock. For turns that are
 * short or whose waiters have something better to wait for (a force).
 */
public final class Gate {
    private static final VarHandle TAKEN;
    private static final VarHandle LEFT_BEHIND;
    private static final int SPINS = 200;
    private static final int YIELDS = 20;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAKEN = lookup.findVarHandle(Gate.class, "taken", boolean.class);
            LEFT_BEHIND = lookup.findVarHandle(Gate.class, "isLeftBehind", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile boolean taken;

    /**
     * Set by the holder when there was no stack left for a call of {@link #leave}: the next thread
     * to enter takes over. A field, since to store into it needs no stack.
     */
    public volatile boolean isLeftBehind;

    public boolean tryEnter() {
        if (taken) {
            return isLeftBehind && LEFT_BEHIND.compareAndSet(this, true, false);
        }
        return TAKEN.compareAndSet(this, false, true);
    }

    /** Enters and leaves: waits until no thread is inside. */
    public void pass() {
        enter();
        taken = false; // without a call, for which there may be no stack
    }

    public void enter() {
        int tries = 0;
        while (!tryEnter()) {
            pause(tries++);
        }
    }

    /** Waits a little for the end of a short turn; longer after many tries. */
    public static void pause(int tries) {
        if (tries < SPINS) {
            Thread.onSpinWait();
        } else if (tries < SPINS + YIELDS) {
            Thread.yield();
        } else {
            // The holder was preempted; parking gives it the core.
            LockSupport.parkNanos(20_000);
        }
    }

    public boolean isTaken() {
        return taken;
    }

    /** Everything done inside is visible to the next thread that enters. */
    public void leave() {
        try {
            TAKEN.setRelease(this, false);
        } catch (StackOverflowError e) {
            taken = false;
        } catch (InternalError e) {
            // Java 17 tells late, and anywhere, that a page of a mapping was cut off.
            taken = false;
            throw e;
        }
    }
}
