package io.firn.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The turn of an exclusive appender. It is the appender's own: to enter costs a store and a load,
 * no atomic operation. The background borrows it when it has to do something to the writer and the
 * appender happens to be idle, for example to end a segment by age.
 *
 * <p>How the two agree: the appender says that it is at work, and then looks whether the turn was
 * lent; the background lends it to itself, waits, and then looks whether the appender is at work.
 * Without the wait the appender's store could still be on its way when the background looks, since
 * there is no fence between the store and the load (it would cost as much as a small append). With
 * it, an appender that did not see the loan is seen: a store leaves the processor within a
 * microsecond or so, and the compiler does not move the load before it. An appender that sees the
 * loan waits at the gate, through which it also sees what the background did.
 *
 * <p>One thread at a time uses {@link #enter} and {@link #leave}; one at a time borrows.
 */
final class ExclusiveTurn {
    private static final VarHandle AT_WORK;
    private static final long STORES_ARRIVE_NS = 100_000;

    static {
        try {
            AT_WORK =
                    MethodHandles.lookup()
                            .findVarHandle(ExclusiveTurn.class, "atWork", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AppendGate gate;
    private volatile boolean atWork;
    private volatile boolean lent;

    /** An appender's turn, which is given back through a gate. */
    ExclusiveTurn(AppendGate gate) {
        this.gate = gate;
    }

    /** The appender begins. */
    void enter() {
        AT_WORK.setOpaque(this, true);
        VarHandle.acquireFence(); // no instruction on x86; keeps the compiler from looking first
        if (lent) {
            takeBack();
        }
    }

    /** The appender is done: what it did is visible to whoever borrows. */
    void leave() {
        AT_WORK.setRelease(this, false);
    }

    private void takeBack() {
        AT_WORK.setRelease(this, false);
        gate.enter();
        lent = false;
        atWork = true;
        gate.leave();
    }

    /**
     * Takes the turn of an appender that is idle.
     *
     * @return false when it is at work; otherwise {@link #giveBack} is to follow
     */
    boolean tryBorrow() {
        gate.enter();
        lent = true;
        long start = System.nanoTime();
        while (!atWork && System.nanoTime() - start < STORES_ARRIVE_NS) {
            Thread.onSpinWait();
        }
        if (atWork) {
            gate.leave(); // its next turn begins at the gate
            return false;
        }
        return true;
    }

    /** The background is done. */
    void giveBack() {
        gate.leave();
    }
}
