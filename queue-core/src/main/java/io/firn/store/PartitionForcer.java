package io.firn.store;

import io.firn.Appender;
import io.firn.DurableHandler;
import io.firn.FirnException;
import io.firn.PoisonedException;
import io.firn.TopicOptions;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes a partition's records durable by group commit: a thread that finds the gate free forces for
 * all that appended before; the others wait for it. By itself this splits threads that append in a
 * loop into two halves that force in turn. So a thread that is about to force first waits for as
 * many threads as waited last time, for at most half the time of a slow force (the commit delay of
 * databases, adapted).
 *
 * <p>The order, for each force (rule O2): the end is captured first; then each segment that is not
 * sealed, oldest first, is forced and, when it was rolled, sealed durably, before a byte of the
 * next one counts; then the durable offset is published, never beyond what was captured. A failure
 * leaves the durable offset where it was and poisons the partition: a force that failed once may
 * return normally the next time although the pages were dropped.
 */
final class PartitionForcer extends Duty {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final int SPINS = 50;

    /** A woken thread returns too late for the next force; one that yields does not. */
    private static final int YIELDS = 200;

    private static final long SLOW_FORCE_NS = 10_000;
    private static final int FORCES_PER_SAMPLE = 8;
    private static final long NOT_DIRTY = Long.MIN_VALUE;
    private static final long LOOK_AGAIN_MS = 100;

    private final PartitionLog log;
    private final AppendGate gate = new AppendGate();
    private final Signal forced = new Signal();
    private final AtomicInteger waiters = new AtomicInteger();
    private final List<Pending> pending = new ArrayList<>();
    private volatile DurableHandler[] handlers = {};
    private volatile boolean wanted;
    private volatile boolean hasPending;
    private final AtomicLong forces = new AtomicLong();
    private final AtomicLong forcedBytes = new AtomicLong();
    // Used by the background only.
    private long dirtySinceMs = NOT_DIRTY;
    private boolean looksAgain;
    private boolean isCalledByAppends;
    private long lookAgainMs;
    // These belong to the gate's holder.
    private int company;
    private long lastCaptured;
    private long forceNs;

    /** Who has it calls the handlers and listeners. */
    private final AppendGate telling = new AppendGate();

    private volatile Thread teller;
    private long told; // belongs to the teller

    PartitionForcer(PartitionLog log) {
        super(log.store().forcing(), log, "force");
        this.log = log;
    }

    /** Waits until everything below the offset is durable, forcing when nobody else does. */
    void awaitDurable(long offset) {
        if (log.durableOffset() >= offset) {
            return;
        }
        boolean interrupted = false;
        int tries = 0;
        try {
            while (log.durableOffset() < offset) {
                log.state().checkForceable();
                checkNotTelling();
                if (gate.tryEnter()) {
                    awaitCompany();
                    forceAndLeave(log.store().isInvoker());
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
        if (log.store().isBackground()) {
            forceNow(); // the callback of a future waits here, and no other thread would
            return false;
        }
        call();
        return pause(offset);
    }

    /** Whether the caller is in a handler or listener that is told of a force here. */
    boolean isTelling() {
        return teller == Thread.currentThread();
    }

    private void checkNotTelling() {
        if (isTelling()) {
            throw new IllegalStateException(
                    "a DurableHandler or VisibleListener of "
                            + log
                            + " must not wait until more of it is durable, since it is told of that"
                            + " only when it has returned; what it appended is in the log: use"
                            + " appendAsync there");
        }
    }

    /** Asks the background for a force; for appends that do not wait. */
    void want() {
        if (!wanted) {
            wanted = true;
            call();
        }
    }

    /**
     * Background: forces what was requested or is due, and seals rolled segments. An append
     * requests without a fence, and may find its request already made while its record is not
     * visible yet: so there is one more look after a force, which finds the record.
     */
    @Override
    public int run() {
        if (log.state().isPoisoned() || log.state().isGone()) {
            return failPoisoned();
        }
        boolean isDirty = log.durableOffset() < log.nextOffset();
        // A wait for a record that has not been appended yet needs no force.
        boolean isAsked = wanted || (isDirty && (hasPending || (looksAgain && log.isDurable())));
        if (!isAsked && !log.hasRolledUnsealed() && !isDue(isDirty)) {
            restOrLookAgain(isDirty);
            return 0;
        }
        wanted = false;
        dirtySinceMs = NOT_DIRTY;
        callByAppends(); // before the end is captured: appends after it call
        return forceNow() ? 1 : 0;
    }

    /** Makes the next append to a WRITTEN topic call, and then looks once more. */
    private void callByAppends() {
        isCalledByAppends = true;
        looksAgain = true;
        lookAgainMs = nowMs() + LOOK_AGAIN_MS;
        againAt(lookAgainMs);
        if (!log.isDurable()) {
            log.writer().callAtNextAppend();
        }
    }

    /** Whether a WRITTEN topic has reached its bytes or its time. */
    private boolean isDue(boolean isDirty) {
        if (log.isDurable() || !isDirty) {
            return false;
        }
        if (dirtySinceMs == NOT_DIRTY || nowMs() < dirtySinceMs) {
            dirtySinceMs = nowMs();
        }
        TopicOptions options = log.topicLog().options();
        return nowMs() - dirtySinceMs >= options.forceMs()
                || log.appendedBytes() - forcedBytes.getOpaque() >= options.forceBytes();
    }

    private void restOrLookAgain(boolean isDirty) {
        boolean rests = !isDirty && isCalledByAppends && log.writer().isToCall();
        if (log.isDurable() || rests) {
            boolean isTime = nowMs() >= lookAgainMs || lookAgainMs - nowMs() > LOOK_AGAIN_MS;
            looksAgain &= !isTime;
            if (looksAgain) {
                againAt(lookAgainMs); // called for without need
            }
        } else if (isDirty) {
            isCalledByAppends = false;
            againAt(later(dirtySinceMs, log.topicLog().options().forceMs()));
        } else {
            // Somebody else has forced, or an append calls whose record was forced by then.
            callByAppends();
        }
    }

    /**
     * Returns the position in the active segment up to which the writer of a WRITTEN topic, which
     * calls now, need not call again for a force.
     */
    int quietUpTo(LogSegment active, int position) {
        if (log.isDurable()) {
            return Integer.MAX_VALUE;
        }
        if (hasPending) {
            return position; // a wait for records that are not appended yet: each append calls
        }
        long forceBytes = log.topicLog().options().forceBytes();
        long due = LogSegment.positionOf(active.forcedEnd()) + forceBytes;
        // A force that is due now follows at once.
        return (int) Math.min(Integer.MAX_VALUE, position < due ? due - 1 : position + forceBytes);
    }

    /** Forces and seals everything that is written now; false when it failed. */
    boolean forceNow() {
        gate.enter();
        return forceAndLeave(true);
    }

    /** Runs an action while no force is in progress. */
    void exclusively(Runnable action) {
        gate.enter();
        try {
            action.run();
        } finally {
            gate.leave();
        }
    }

    /**
     * Completes when everything below the offset is durable.
     *
     * @param appender the appender that asks, see {@link #failUnwritten}
     */
    CompletableFuture<Long> whenDurable(long offset, Appender appender) {
        CompletableFuture<Long> future = new CompletableFuture<>();
        synchronized (pending) {
            pending.add(new Pending(offset, future, appender));
            hasPending = true;
        }
        completePending();
        if (!future.isDone()) {
            try {
                log.state().checkForceable();
                log.writer().callAtNextAppend();
                want();
            } catch (FirnException e) {
                failPending(e); // nobody else will any more
            }
        }
        return future;
    }

    void addHandler(DurableHandler handler) {
        synchronized (pending) {
            List<DurableHandler> all = new ArrayList<>(List.of(handlers));
            all.add(handler);
            handlers = all.toArray(new DurableHandler[0]);
        }
    }

    void removeHandler(DurableHandler handler) {
        synchronized (pending) {
            List<DurableHandler> all = new ArrayList<>(List.of(handlers));
            all.remove(handler);
            handlers = all.toArray(new DurableHandler[0]);
        }
    }

    long forces() {
        return forces.getOpaque();
    }

    /** Fails what still waits; the partition is closed, deleted or poisoned. */
    void failPending(RuntimeException why) {
        completePending(); // what became durable just before has not failed
        List<Pending> failed;
        synchronized (pending) {
            failed = List.copyOf(pending);
            pending.clear();
            hasPending = false;
        }
        failed.forEach(p -> p.future.completeExceptionally(why));
        forced.wake();
    }

    /**
     * Fails an appender's futures for records that are not written: it will not append them any
     * more.
     */
    @SuppressWarnings("ReferenceEquality") // this very appender
    void failUnwritten(Appender appender, RuntimeException why) {
        long written = log.nextOffset();
        List<Pending> failed = new ArrayList<>();
        synchronized (pending) {
            pending.removeIf(p -> p.appender == appender && p.offset > written && failed.add(p));
            hasPending = !pending.isEmpty();
        }
        failed.forEach(p -> p.future.completeExceptionally(why));
    }

    /** What is the user's is called outside of the gate: it may append, and wait itself. */
    private boolean forceAndLeave(boolean maySeal) {
        long before = log.durableOffset();
        try {
            return force(maySeal);
        } finally {
            boolean advanced = log.durableOffset() > before;
            company = waiters.get();
            gate.leave();
            forced.wake();
            if (advanced && (handlers.length > 0 || log.hasListenersToForces())) {
                tellAll();
            }
            if (hasPending && failPoisoned() == 0) {
                completePending();
            }
        }
    }

    /** Fails what waits when the partition is poisoned; returns how much was done. */
    private int failPoisoned() {
        PoisonedException why = log.state().poison();
        if (why == null || !hasPending) {
            return 0;
        }
        failPending(why);
        return 1;
    }

    /** The caller has the gate, and the time that forces take was sampled by who had it before. */
    private void awaitCompany() {
        if (company == 0 || forceNs < SLOW_FORCE_NS || log.store().isInvoker()) {
            return;
        }
        long start = System.nanoTime();
        long all = lastCaptured + company + 1;
        while (log.nextOffset() < all && System.nanoTime() - start < forceNs / 2) {
            Thread.yield();
        }
    }

    private boolean force(boolean maySeal) {
        if (log.state().isPoisoned() || log.state().isGone()) {
            return false;
        }
        // The end is captured before the first force: this force promises nothing about later
        // appends.
        long captured = log.nextOffset();
        lastCaptured = captured;
        try {
            forceSegments(captured, maySeal);
            return true;
        } catch (IOException | VirtualMachineError | LinkageError e) {
            // Also when only the heap ran out: it is then unknown how much was forced.
            log.poison(e);
            return false;
        }
    }

    private void forceSegments(long captured, boolean maySeal) throws IOException {
        LogSegment[] segments = log.segments();
        for (int i = log.firstUnsealed(segments); i < segments.length; i++) {
            LogSegment segment = segments[i];
            long end = segment.endOffset;
            forceBytes(segment);
            publish(Math.min(end, captured));
            if (end > captured) {
                return;
            }
            if (!maySeal) {
                return; // the caller lets the background seal it
            }
            segment.seal(sealTimeMs());
            log.upkeep().onSealed();
        }
    }

    /** A durable append must not fail because the user's clock fails. */
    private long sealTimeMs() {
        try {
            return log.store().timeMs();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, log + ": the clock failed at a seal", e);
            return System.currentTimeMillis();
        }
    }

    private void forceBytes(LogSegment segment) throws IOException {
        long pair = segment.end();
        int from = LogSegment.positionOf(segment.forcedEnd());
        int to = LogSegment.positionOf(pair);
        if (to == from) {
            return;
        }
        ForceEvent event = ForceEvent.beginIfEnabled();
        boolean sampled = company > 0 && forces.getPlain() % FORCES_PER_SAMPLE == 0;
        long start = sampled ? System.nanoTime() : 0;
        // With the zeros after the last batch, which mark its end for recovery.
        segment.block.force(from, Math.min(to + PartitionWriter.TAIL_ZEROS, segment.capacity));
        if (sampled) {
            forceNs = System.nanoTime() - start;
        }
        if (event != null) {
            event.end(log, to - from);
        }
        segment.setForcedEnd(pair);
        // Only the gate's holder writes it, and no reader depends on when it sees the change.
        forces.setOpaque(forces.getPlain() + 1);
        forcedBytes.setOpaque(forcedBytes.getPlain() + to - from);
    }

    private void publish(long offset) {
        if (offset > log.durableOffset()) {
            log.publishDurable(offset);
        }
    }

    /**
     * Tells what is durable by now, one thread at a time; who finds another one at it leaves it to
     * that one. Of two threads, one that publishes and then looks for a teller, and one that stops
     * telling and then looks for news, at least one sees the other: hence the fences.
     */
    private void tellAll() {
        VarHandle.fullFence();
        long last = 0;
        while (last < log.durableOffset() && telling.tryEnter()) {
            teller = Thread.currentThread();
            try {
                last = log.durableOffset();
                if (last > told) {
                    told = last;
                    log.tellListenersOfForce();
                    for (DurableHandler handler : handlers) {
                        tell(handler, last);
                    }
                }
            } finally {
                teller = null;
                telling.leave();
            }
            VarHandle.fullFence();
        }
    }

    private void tell(DurableHandler handler, long offset) {
        try {
            handler.onDurable(log.index(), offset);
        } catch (Throwable e) {
            // The records are durable whatever a handler does, and the medium did not fail.
            LOG.log(System.Logger.Level.ERROR, log + ": a DurableHandler failed", e);
        }
    }

    private void completePending() {
        long durable = log.durableOffset();
        List<Pending> done = new ArrayList<>();
        synchronized (pending) {
            pending.removeIf(p -> p.offset <= durable && done.add(p));
            hasPending = !pending.isEmpty();
        }
        done.forEach(p -> p.future.complete(durable));
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
        if (log.store().isInvoker()) {
            log.store().doWork();
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

    private record Pending(long offset, CompletableFuture<Long> future, Appender appender) {}
}
