package io.firn.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;

/**
 * The turn to append to a partition: whoever has it is the only one who touches the writer. Shared
 * appenders and the background wait for it ({@link #enter}). An exclusive appender never waits for
 * another append; when there is one, two threads use it at once ({@link #tryEnter}).
 *
 * <p>A compare-and-set costs an append of 64 bytes a tenth to a quarter of its time (measured), and
 * an exclusive appender nearly always stays with one thread. So that thread gets a seat: it says in
 * a flag of its own that it is inside, without a locked instruction, in this order: store the flag,
 * then look whether the seat is still its own. Whoever else wants the turn takes {@code state} by
 * compare-and-set, takes the seat away, waits until the stores of the seat's thread have reached
 * memory, and then looks at the flag. Of a store followed by a load on the one side, and a store, a
 * wait and a load on the other, at least one side sees the other's store: either the thread finds
 * its seat gone, or it is seen inside. The wait takes the place of the fence that the thread's path
 * does without: a store leaves a processor's store buffer within microseconds, and at once when the
 * thread is preempted.
 *
 * <p>A thread that takes the turn over from another gets a seat of its own; when that happens often
 * there are no more seats, and every append pays for the compare-and-set.
 */
final class AppendTurn {
    private static final VarHandle STATE;
    private static final VarHandle SEAT;
    private static final VarHandle INSIDE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(AppendTurn.class, "state", int.class);
            SEAT = lookup.findVarHandle(AppendTurn.class, "seat", Seat.class);
            INSIDE = lookup.findVarHandle(Seat.class, "inside", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int FREE = 0;

    /** By an exclusive appender. */
    private static final int IN_USE = 1;

    /** By someone who is done soon, and for whom everybody waits. */
    private static final int TAKEN = 2;

    private static final int MAX_SEATS = 8;

    /** Some ms; an append is done in less, unless its thread does not run. */
    private static final int SOON_TRIES = 300;

    private static final long STORES_ARRIVE_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private volatile int state;
    private volatile Seat seat;

    /** Read by threads that ask whether it is themselves, for which no fence is needed. */
    private Thread holder;

    // These belong to whoever has the turn; a look at the last one beside it decides nothing.
    private Seat current;
    private Seat lent;
    private int seats;

    /** Where a thread says, in the order of the class's comment, that it has the turn. */
    private static final class Seat {
        final Thread thread;
        volatile boolean inside;

        Seat(Thread thread) {
            this.thread = thread;
        }
    }

    /**
     * Takes the turn for an exclusive appender.
     *
     * @return false when another append is under way: of another thread, or of this one, which
     *     called from inside of it
     */
    boolean tryEnter() {
        Seat mine = (Seat) SEAT.getOpaque(this);
        if (mine != null && mine.thread == Thread.currentThread()) {
            if ((boolean) INSIDE.get(mine)) {
                return false;
            }
            INSIDE.setOpaque(mine, true);
            if (isStillMine(mine)) {
                current = mine;
                return true;
            }
            INSIDE.setOpaque(mine, false);
        }
        return tryTakeOver();
    }

    @SuppressWarnings("ReferenceEquality") // this very seat
    private boolean isStillMine(Seat mine) {
        return SEAT.getAcquire(this) == mine;
    }

    @SuppressWarnings("ReferenceEquality") // this very seat
    private boolean tryTakeOver() {
        Thread me = Thread.currentThread();
        // Made before anything is taken, for whatever fails then nobody would give it up.
        Seat fresh = seats < MAX_SEATS ? new Seat(me) : null;
        int tries = 0;
        while (!STATE.compareAndSet(this, FREE, IN_USE)) {
            if (state == IN_USE || isMine()) {
                return false;
            }
            AppendGate.pause(tries++);
        }
        Seat before = takeSeatAway();
        if (before != null && before.inside) {
            seat = before;
            STATE.setRelease(this, FREE);
            return false;
        }
        Seat mine = before != null && before.thread == me ? before : fresh;
        if (mine != null) {
            seats += mine == fresh ? 1 : 0;
            mine.inside = true; // before anybody can take the seat away
            current = mine;
            SEAT.setRelease(this, mine);
            STATE.setRelease(this, FREE);
        } else {
            holder = me;
        }
        return true;
    }

    /** Takes the turn, waiting for whoever has it. */
    void enter() {
        int tries = 0;
        while (!STATE.compareAndSet(this, FREE, TAKEN)) {
            checkNotMine();
            AppendGate.pause(tries++);
        }
        Seat before = takeSeatAway();
        if (before != null) {
            awaitOutside(before);
        }
        lent = before;
        holder = Thread.currentThread();
    }

    /**
     * Takes the turn for the background, which many wait for: an append whose listener takes long
     * must not hold it up, nor may that listener wait for it in vain.
     *
     * @return false when the turn was not given up soon
     */
    boolean enterSoon() {
        for (int tries = 0; !STATE.compareAndSet(this, FREE, TAKEN); tries++) {
            if (tries == SOON_TRIES) {
                return false;
            }
            AppendGate.pause(tries);
        }
        Seat before = takeSeatAway();
        for (int tries = 0; before != null && before.inside; tries++) {
            if (tries == SOON_TRIES) {
                seat = before;
                STATE.setRelease(this, FREE);
                return false;
            }
            AppendGate.pause(tries);
        }
        lent = before;
        holder = Thread.currentThread();
        return true;
    }

    private void awaitOutside(Seat before) {
        if (before.inside && before.thread == Thread.currentThread()) {
            seat = before;
            STATE.setRelease(this, FREE);
            throw calledFromInside();
        }
        int tries = 0;
        while (before.inside) {
            AppendGate.pause(tries++);
        }
    }

    /** Gives the turn up. What was done in it is visible to whoever has it next. */
    void leave() {
        Seat mine = current;
        if (mine != null) {
            current = null;
            INSIDE.setRelease(mine, false);
            return;
        }
        holder = null;
        Seat back = lent;
        if (back != null) {
            lent = null;
            SEAT.setRelease(this, back);
        }
        STATE.setRelease(this, FREE);
    }

    /** The exclusive appender is closed; the caller has the turn by {@link #enter}. */
    void forgetThreads() {
        lent = null;
        seats = 0;
    }

    /** The caller has {@code state}. Returns the seat that was there, when it was not its own. */
    private Seat takeSeatAway() {
        Seat before = seat;
        if (before != null) {
            seat = null; // before the look at its flag: the order that all of this rests on
            if (before.thread != Thread.currentThread()) {
                awaitStores();
            }
        }
        return before;
    }

    private static void awaitStores() {
        long start = System.nanoTime();
        int tries = 0;
        while (System.nanoTime() - start < STORES_ARRIVE_NS) {
            AppendGate.pause(tries++);
        }
    }

    /**
     * Whether the caller has the turn, by its seat or without one. Whoever waits for it has taken
     * the seat away, and is not to be waited for. No fence is needed: of what other threads write
     * here, nothing names the caller.
     */
    private boolean isMine() {
        Thread me = Thread.currentThread();
        Seat seatInUse = current;
        return holder == me || (seatInUse != null && seatInUse.thread == me);
    }

    /** Throws when the caller has the turn. */
    void checkNotMine() {
        if (isMine()) {
            throw calledFromInside();
        }
    }

    private static IllegalStateException calledFromInside() {
        return new IllegalStateException(
                "a VisibleListener must not append to its partition or close its appender: it is"
                        + " called in the middle of an append; hand that over to another thread");
    }
}
