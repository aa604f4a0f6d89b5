package io.firn.append;

import io.firn.RetryableException;
import io.firn.background.Gate;
import io.firn.log.SegmentedLog;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The turn to append to a partition: only the thread that has it uses the writer. Shared appenders
 * and the background wait for it ({@link #enter}). An exclusive appender never waits for another
 * append: if one is in progress, two threads are using the appender at once, and the call is
 * refused ({@link #tryEnter}).
 *
 * <p>A compare-and-set takes a tenth to a quarter of the time of a 64-byte append (measured), and
 * an exclusive appender is nearly always used by one thread. That thread therefore gets a seat: a
 * flag of its own, which it sets while it is inside, without a locked instruction. It stores the
 * flag first and then checks that the seat is still its own. Another thread that wants the turn
 * acquires {@code state} by compare-and-set, removes the seat, waits until the stores of the seat's
 * thread have reached memory, and then checks the flag. One side stores and then loads; the other
 * stores, waits and then loads; so at least one of them sees the other's store. Either the seat's
 * thread finds its seat gone, or the other thread finds the flag set. The wait replaces the fence
 * that the path of the seat's thread omits: a store leaves a processor's store buffer within
 * microseconds, and at once when the thread is preempted.
 *
 * <p>A thread that takes over from another gets a new seat; when that happens often, no more seats
 * are given, and every append uses the compare-and-set.
 *
 * <p>An append may fail at the bottom of its thread's stack, where no method can be called any
 * more, not even {@link #leave}. Whatever is thrown while a thread has the turn it therefore first
 * stores into {@link #failure}, which needs no stack. Who wants the turn next takes it from there,
 * has the partition poisoned if an {@link Error} may have left it half changed, and releases the
 * turn.
 */
public final class AppendTurn {
    private static final VarHandle STATE;
    private static final VarHandle SEAT;
    private static final VarHandle INSIDE;
    private static final VarHandle FAILURE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(AppendTurn.class, "state", int.class);
            SEAT = lookup.findVarHandle(AppendTurn.class, "seat", Seat.class);
            FAILURE = lookup.findVarHandle(AppendTurn.class, "failure", Throwable.class);
            INSIDE = lookup.findVarHandle(Seat.class, "inside", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int FREE = 0;

    /** Taken by an exclusive appender. */
    private static final int IN_USE = 1;

    /** Taken by a thread that is done soon, and for which all others wait. */
    private static final int TAKEN = 2;

    private static final int MAX_SEATS = 8;

    /** Some ms; an append is done in less, unless its thread does not run. */
    private static final int SOON_TRIES = 300;

    private static final long STORES_ARRIVE_NS = TimeUnit.MICROSECONDS.toNanos(100);

    /** How long a close waits for an append. */
    static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);

    private final Consumer<Throwable> onTorn;
    private volatile int state;
    private volatile Seat seat;

    /** What was thrown to the holder, which has not released the turn; written by it only. */
    public volatile Throwable failure;

    /** Threads read this only to find out whether they are the holder, which needs no fence. */
    private Thread holder;

    // Guarded by the turn; a thread that reads the first one without it looks for itself only.
    private Seat current;

    /** Whether the holder has the turn by its seat. */
    private boolean seated;

    private Seat lent;
    private int seats;

    /** The flag of a thread that has the turn; the class's comment gives the order of its use. */
    private static final class Seat {
        final Thread thread;
        volatile boolean inside;

        Seat(Thread thread) {
            this.thread = thread;
        }
    }

    /**
     * Creates it, free.
     *
     * @param onTorn told of an Error that has ended an append half-way, before the turn is released
     */
    public AppendTurn(Consumer<Throwable> onTorn) {
        this.onTorn = onTorn;
    }

    /**
     * Takes the turn for an exclusive appender.
     *
     * @param isClosed whether the appender was closed. Its turn is then the next appender's, which
     *     must not even see it taken for a moment.
     * @return false when another append is in progress: by another thread, or by this one, which
     *     called from inside it; or when the appender was closed
     */
    public boolean tryEnter(BooleanSupplier isClosed) {
        Seat mine = (Seat) SEAT.getOpaque(this);
        if (mine != null && mine.thread == Thread.currentThread()) {
            if ((boolean) INSIDE.get(mine) && !settle()) {
                return false;
            }
            INSIDE.setOpaque(mine, true);
            try {
                if (isStillMine(mine)) {
                    // It is the current one already. To store it again would cost more than all
                    // the rest: the card marking of G1, with a fence, each time.
                    seated = true;
                    return true;
                }
            } catch (StackOverflowError e) {
                mine.inside = false; // without a call
                throw e;
            }
            mine.inside = false;
        }
        return tryTakeOver(isClosed);
    }

    @SuppressWarnings("ReferenceEquality") // this very seat
    private boolean isStillMine(Seat mine) {
        return SEAT.getAcquire(this) == mine;
    }

    @SuppressWarnings("ReferenceEquality") // this very seat
    private boolean tryTakeOver(BooleanSupplier isClosed) {
        Thread me = Thread.currentThread();
        // Created before anything is taken: if this failed afterwards, it would never be released.
        Seat fresh = seats < MAX_SEATS ? new Seat(me) : null;
        int tries = 0;
        while (!STATE.compareAndSet(this, FREE, TAKEN)) {
            if (!settle() && (state == IN_USE || isMine())) {
                return false;
            }
            Gate.pause(tries++);
        }
        Seat before = seat;
        try {
            boolean isRefused = isClosed.getAsBoolean();
            if (!isRefused) {
                takeAway(before);
                isRefused = before != null && before.inside && !settle();
            }
            if (isRefused) {
                seat = before;
                state = FREE;
                return false;
            }
        } catch (Throwable e) {
            seat = before;
            state = FREE; // without a call
            throw e;
        }
        Seat mine = before != null && before.thread == me ? before : fresh;
        if (mine != null) {
            seats += mine == fresh ? 1 : 0;
            mine.inside = true; // before another thread can remove the seat
            current = mine;
            seated = true;
            seat = mine;
            state = FREE;
        } else {
            holder = me;
            state = IN_USE;
        }
        return true;
    }

    /** Takes the turn; waits until it is free. */
    public void enter() {
        int tries = 0;
        while (!STATE.compareAndSet(this, FREE, TAKEN)) {
            checkNotMine();
            Gate.pause(tries++);
        }
        Seat before = seat;
        try {
            takeAway(before);
            awaitOutside(before);
            lent = before;
            holder = Thread.currentThread();
        } catch (Throwable e) {
            lent = null;
            seat = before;
            state = FREE; // without a call
            throw e;
        }
    }

    /**
     * As {@link #enter}, for a close: waits for some time only.
     *
     * @throws RetryableException when another thread keeps the turn; nothing has changed
     */
    void enterToClose(SegmentedLog log) {
        long start = log.store().nowNs();
        while (!enterSoon()) {
            checkNotMine();
            if (log.store().nowNs() - start > LONG_NS) {
                throw new RetryableException(
                        log
                                + ": the appender is not closed, because for "
                                + LONG_NS / 1_000_000_000
                                + " s "
                                + holderName()
                                + " has been in an append: close it again when that has ended",
                        null);
            }
        }
    }

    /** Names the thread that has the turn, for a message. */
    String holderName() {
        Thread last = holder;
        Seat sitting = current;
        if (last == null && sitting != null && sitting.inside) {
            last = sitting.thread;
        }
        return last == null ? "another thread" : "the thread " + last.getName();
    }

    /**
     * Releases the turn of a holder to which something was thrown; has the partition poisoned
     * before, if that was an Error. Called by the holder itself or by who waits for it.
     *
     * @return false when there is no failure, or another thread does it
     */
    boolean settle() {
        Throwable thrown = failure;
        if (thrown == null || !FAILURE.compareAndSet(this, thrown, null)) {
            return false;
        }
        try { // the caller has the turn now
            if (thrown instanceof Error) {
                onTorn.accept(thrown);
            }
            leave();
            return true;
        } catch (Throwable e) {
            failure = thrown; // without a call; for the next one
            throw e;
        }
    }

    /**
     * Takes the turn for the background, which many wait for: an append whose listener takes long
     * must not hold it up, nor may that listener wait for it in vain.
     *
     * @return false when the turn was not given up soon
     */
    boolean enterSoon() {
        for (int tries = 0; !STATE.compareAndSet(this, FREE, TAKEN); tries++) {
            if (!settle() && tries >= SOON_TRIES) {
                return false;
            }
            Gate.pause(tries);
        }
        Seat before = seat;
        try {
            takeAway(before);
            for (int tries = 0; before != null && before.inside; tries++) {
                if (!settle() && tries >= SOON_TRIES) {
                    seat = before;
                    state = FREE;
                    return false;
                }
                Gate.pause(tries);
            }
            lent = before;
            holder = Thread.currentThread();
            return true;
        } catch (Throwable e) {
            lent = null;
            seat = before;
            state = FREE; // without a call
            throw e;
        }
    }

    private void awaitOutside(Seat before) {
        int tries = 0;
        while (before != null && before.inside) {
            if (!settle() && before.thread == Thread.currentThread()) {
                throw calledFromInside();
            }
            Gate.pause(tries++);
        }
    }

    /**
     * Releases the turn. Everything done in it is visible to the next thread that takes it. When
     * there is too little stack for this call, nothing has happened; when there is too little for
     * those that it makes, it makes none.
     */
    public void leave() {
        if (seated) {
            seated = false;
            Seat mine = current;
            try {
                INSIDE.setRelease(mine, false);
            } catch (StackOverflowError e) {
                mine.inside = false;
            }
            return;
        }
        holder = null;
        Seat back = lent;
        try {
            if (back != null) {
                SEAT.setRelease(this, back);
            }
            lent = null; // before another thread can have the turn
            STATE.setRelease(this, FREE);
        } catch (StackOverflowError e) {
            seat = back == null ? seat : back;
            lent = null;
            state = FREE;
        }
    }

    /**
     * Called when the exclusive appender is closed, by a thread that has entered with {@link
     * #enter}.
     */
    void forgetThreads() {
        lent = null;
        seats = 0;
    }

    /** Removes the seat if there is one. The caller has acquired {@code state}. */
    private void takeAway(Seat before) {
        if (before != null) {
            seat = null; // before its flag is read: everything here relies on this order
            if (before.thread != Thread.currentThread()) {
                awaitStores();
            }
        }
    }

    private static void awaitStores() {
        long start = System.nanoTime();
        int tries = 0;
        while (System.nanoTime() - start < STORES_ARRIVE_NS) {
            Gate.pause(tries++);
        }
    }

    /**
     * Whether the caller has the turn, by its seat or without one. A thread that waits for it has
     * taken the seat away, and is not to be waited for. No fence is needed: of what other threads
     * write here, nothing names the caller.
     */
    boolean isMine() {
        if (failure != null) {
            settle();
        }
        Thread me = Thread.currentThread();
        Seat last = current;
        return holder == me || (last != null && last.thread == me && (boolean) INSIDE.get(last));
    }

    /** Throws when the caller has the turn. */
    public void checkNotMine() {
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
