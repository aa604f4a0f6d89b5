package io.firn.force;

import io.firn.Appender;
import io.firn.FirnException;
import io.firn.PoisonedException;
import io.firn.background.Gate;
import io.firn.background.Signal;
import io.firn.log.LogContext;
import io.firn.log.LogEvents;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Makes a partition's records durable by group commit: a thread that finds the gate free forces for
 * all that appended before; the others wait for it. By itself this splits threads that append in a
 * loop into two halves that force in turn. So a thread that is about to force first waits for as
 * many threads as waited last time, for at most half the time of a slow force (the commit delay of
 * databases, adapted).
 *
 * <p>{@link SegmentForcer} has the order of a force.
 */
public final class PartitionForcer implements LogEvents.ForceWaiters {
    private static final int SPINS = 50;

    /** A woken thread returns too late for the next force; one that yields does not. */
    private static final int YIELDS = 200;

    private static final long SLOW_FORCE_NS = 10_000;

    private final SegmentedLog log;
    private final LogContext store;
    private final ForceDuty duty;
    private final DurableFutures futures = new DurableFutures();
    private final DurableHandlers handlers;
    private final Gate gate = new Gate();
    private final Signal forced = new Signal();
    private final AtomicInteger waiters = new AtomicInteger();
    private final SegmentForcer segments; // for the gate's holder
    private int company; // likewise

    public PartitionForcer(SegmentedLog log) {
        this.log = log;
        this.store = log.store();
        this.duty = new ForceDuty(log, this);
        this.handlers = new DurableHandlers(log);
        this.segments = new SegmentForcer(log);
    }

    public SegmentedLog log() {
        return log;
    }

    /** Who is told after each force. */
    public DurableHandlers handlers() {
        return handlers;
    }

    public long forces() {
        return segments.forces();
    }

    public long forcedBytes() {
        return segments.forcedBytes();
    }

    // ---- waiting

    /**
     * Waits until everything below the offset is durable, forcing when no other thread does; and no
     * longer once the log ends below it, because a truncation has removed what was waited for.
     */
    public void awaitDurable(long offset) {
        if (log.durableOffset() >= offset) {
            return;
        }
        boolean interrupted = false;
        int tries = 0;
        try {
            while (log.durableOffset() < offset && offset <= log.nextOffset()) {
                log.state().checkForceable();
                checkNotTelling();
                if (tryForce(store.isInvoker(), true) != Outcome.BUSY) {
                    if (log.durableOffset() < offset && !log.state().isPoisoned()) {
                        interrupted |= awaitSeal(offset);
                    }
                } else {
                    if (tries++ == 0) {
                        waiters.getAndIncrement();
                    }
                    interrupted |= waitOnce(tries, offset);
                }
            }
        } finally {
            if (tries > 0) {
                waiters.getAndDecrement();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits for the background to seal a rolled segment first. True when interrupted. */
    private boolean awaitSeal(long offset) {
        if (store.background().isAtWork()) {
            forceNow(); // the callback of a future waits here, and no other thread would
            return false;
        }
        call();
        return pause(offset);
    }

    private void checkNotTelling() {
        if (handlers.isTelling()) {
            throw new IllegalStateException(
                    "a DurableHandler or VisibleListener of "
                            + log
                            + " must not wait until more of it is durable, since it is told of that"
                            + " only when it has returned; what it appended is in the log: use"
                            + " tryAppend there");
        }
    }

    /** The caller has the gate, and the time that forces take was sampled by who had it before. */
    private void awaitCompany() {
        if (company == 0 || segments.forceNs() < SLOW_FORCE_NS || store.isInvoker()) {
            return;
        }
        long start = System.nanoTime();
        long all = segments.lastCaptured() + company + 1;
        while (log.nextOffset() < all && System.nanoTime() - start < segments.forceNs() / 2) {
            Thread.yield();
        }
    }

    private boolean waitOnce(int tries, long offset) {
        if (tries < SPINS) {
            Thread.onSpinWait();
        } else if (tries < SPINS + YIELDS) {
            Thread.yield();
        } else {
            return pause(offset);
        }
        return false;
    }

    /** Waits for a force to make progress; true when interrupted, which does not end the wait. */
    private boolean pause(long offset) {
        if (store.isInvoker()) {
            store.invoke();
            return false;
        }
        forced.enter();
        try {
            // A force checks for waiters without a fence, which would cost each force of a single
            // appender 6 ns: it may have missed this one while its last stores were in flight.
            for (int i = 0; i < SPINS && gate.isTaken(); i++) {
                Thread.onSpinWait();
            }
            synchronized (forced) { // no wake-up is lost between the check and the wait
                if (log.durableOffset() < offset && (gate.isTaken() || log.hasRolledUnsealed())) {
                    forced.await(Long.MAX_VALUE);
                }
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        } finally {
            forced.leave();
        }
    }

    // ---- not waiting

    /** Makes the background look whether there is something to force, to seal or to fail. */
    @Override
    public void call() {
        duty.call();
    }

    /** Asks the background for a force; for appends that do not wait. */
    public void want() {
        duty.want();
    }

    /**
     * Returns the position in the active segment up to which the writer of a WRITTEN topic, which
     * calls now, need not call again for a force.
     */
    public int quietUpTo(LogSegment active, int position) {
        if (log.isDurable()) {
            return Integer.MAX_VALUE;
        }
        if (futures.isAny()) {
            return position; // a wait for records that are not appended yet: each append calls
        }
        long forceBytes = log.topic().options().forceBytes();
        long due = LogSegment.positionOf(active.forcedEnd()) + forceBytes;
        // A force that is due now follows at once.
        return (int) Math.min(Integer.MAX_VALUE, position < due ? due - 1 : position + forceBytes);
    }

    /**
     * Completes when everything below the offset is durable.
     *
     * @param appender the appender that asks, see {@link #failUnwritten}
     */
    public CompletableFuture<Long> whenDurable(long offset, Appender appender) {
        CompletableFuture<Long> future = futures.add(offset, appender);
        if (offset <= log.durableOffset()) { // otherwise the force completes it that comes
            futures.complete(log.durableOffset());
        }
        if (!future.isDone()) {
            try {
                log.state().checkForceable();
                log.alarm().callAtNextAppend();
                want();
            } catch (FirnException e) {
                failPending(e); // nobody else will any more
            }
        }
        return future;
    }

    boolean hasPending() {
        return futures.isAny();
    }

    /** Fails what still waits; the partition is closed, deleted or poisoned. */
    @Override
    public void failPending(RuntimeException why) {
        futures.complete(log.durableOffset()); // what became durable just before has not failed
        futures.fail(why);
        forced.wake();
    }

    /**
     * Fails an appender's futures for records that are not written: it will not append them any
     * more.
     */
    public void failUnwritten(Appender appender, RuntimeException why) {
        futures.failUnwritten(appender, log.nextOffset(), why);
    }

    /** Fails what waits when the partition is poisoned; returns how much was done. */
    int failPoisoned() {
        PoisonedException why = log.state().poison();
        if (why == null || !futures.isAny()) {
            return 0;
        }
        failPending(why);
        return 1;
    }

    // ---- forcing

    /** Forces and seals everything that is written now; false when it failed. */
    public boolean forceNow() {
        Outcome outcome;
        int tries = 0;
        while ((outcome = tryForce(true, false)) == Outcome.BUSY) {
            Gate.pause(tries++);
        }
        return outcome == Outcome.FORCED;
    }

    /** Waits until no force is in progress: one that is must not lose its mapping. */
    public void awaitForces() {
        gate.pass();
    }

    private enum Outcome {
        /** Another thread has the gate. */
        BUSY,
        FAILED,
        FORCED
    }

    /**
     * Forces if the gate is free. What is the user's is called outside of the gate: it may append,
     * and wait itself. Whatever fails, and be it a fault that Java tells late, or a lack of stack,
     * the gate is left.
     */
    private Outcome tryForce(boolean maySeal, boolean waitsForOthers) {
        if (!gate.tryEnter()) {
            return Outcome.BUSY;
        }
        long before = Long.MAX_VALUE;
        boolean advanced = false;
        try {
            before = log.durableOffset();
            if (waitsForOthers) {
                awaitCompany();
            }
            return segments.force(maySeal, company > 0) ? Outcome.FORCED : Outcome.FAILED;
        } finally {
            try {
                advanced = log.durableOffset() > before;
                company = waiters.get();
            } finally {
                try {
                    gate.leave();
                } catch (StackOverflowError e) {
                    gate.isLeftBehind = true;
                }
            }
            forced.wake();
            if (advanced && handlers.isAny()) {
                handlers.tell();
            }
            if (futures.isAny() && failPoisoned() == 0) {
                futures.complete(log.durableOffset());
            }
        }
    }

    /** A force of a partition's active segment. Made only while a recording wants it. */
    @Name("io.firn.Force")
    @Label("Force")
    @Category("Firn")
    @StackTrace(false)
    public static final class ForceEvent extends Event {
        private static final EventType TYPE = EventType.getEventType(ForceEvent.class);

        @Label("Partition")
        String partition;

        @Label("Bytes")
        @DataAmount
        int bytes;

        /** Loads the class before an appender has to. */
        public static boolean prepare() {
            return TYPE.isEnabled();
        }

        static ForceEvent beginIfEnabled() {
            if (!TYPE.isEnabled()) {
                return null;
            }
            ForceEvent event = new ForceEvent();
            event.begin();
            return event;
        }

        void end(SegmentedLog log, int forcedBytes) {
            partition = log.toString();
            bytes = forcedBytes;
            commit();
        }
    }
}
