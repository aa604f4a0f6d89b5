package io.firn.block;

import io.firn.FirnException;
import io.firn.MediumException;
import io.firn.StoreFullException;
import io.firn.background.Signal;
import io.firn.log.LogContext.FreedBlocks;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.spi.StorageTier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The block for a partition's next segment, handed from the background, which reserves it, to the
 * writer, which never waits for a file.
 *
 * <pre>
 *              take: nothing there                     offer
 *   (nothing) ────────────────────→ wanted ─────────────────────────────→ reserved
 *       ↑                              │ refuse                              │ take, withdraw
 *       │                              ↓                                     ↓
 *       └──────────────────── refused: failed or full                    (nothing)
 *        take throws it once;  full holds until a block is freed
 * </pre>
 *
 * The writer's side is for the thread that has the turn, the other for the background; {@link
 * #await} is for any thread.
 */
public final class NextBlock {
    /** The next block is reserved as soon as this part (one eighth) of the active one is filled. */
    private static final int RESERVE_AT_FRACTION = 8;

    /**
     * How long to wait before another look when zeros are being written at the writer's position.
     */
    private static final long ZEROS_NS = 20_000;

    /** How long to wait before another look when a file could not be opened for a write. */
    private static final long SHORTAGE_NS = 10_000_000;

    /** What ends a wait without an answer, such as a medium that fails, is seen after so long. */
    private static final long LONGEST_WAIT_NS = 50_000_000;

    private final SegmentedLog log;
    private final FreedBlocks freedBlocks;
    private final AppendShortage shortage;
    private final Signal answered = new Signal();
    private final AtomicReference<LogSegment> reserved = new AtomicReference<>();
    private volatile boolean wanted;

    /** Whether the last append that had to wait was without a block. */
    private volatile boolean missing;

    /** Whether a thread of the background waits, which may be the one that works off a backlog. */
    private volatile boolean urgent;

    private volatile Refusal refusal;
    private BlockSource source;

    /**
     * The outcome of a try that reserved nothing.
     *
     * @param isFull whether no tier had room; otherwise something failed
     * @param freed the store's count of freed blocks before the tiers were asked; that they are
     *     full holds until it grows
     */
    private record Refusal(boolean isFull, FirnException why, long freed) {}

    public NextBlock(SegmentedLog log) {
        this.log = log;
        this.freedBlocks = log.store().freedBlocks();
        this.shortage = new AppendShortage(log);
    }

    /** Sets who reserves blocks; called once, before another thread sees the log. */
    public void suppliedBy(BlockSource newSource) {
        source = newSource;
    }

    /** The position above which a segment's successor is reserved. */
    public static int reserveAbove(LogSegment active) {
        return active.capacity() / RESERVE_AT_FRACTION;
    }

    // ---- the writer's side

    /**
     * Takes the reserved block, held. The caller has the turn.
     *
     * @return null when there is none; the background then asks the tiers for one
     */
    public LogSegment take() {
        LogSegment block = withdraw(); // the writer gets it or the close, not both
        if (block != null) {
            wanted = false;
            urgent = false;
            return block;
        }
        Refusal last = refusal;
        if (last != null && !last.isFull) {
            refusal = null;
            if (!OutOfDescriptorsException.isReasonFor(last.why)) {
                throw new MediumException(
                        log + ": no block for a segment: " + last.why.getMessage(), last.why);
            }
            shortage.note(last.why); // and asked for again
        }
        missing = true;
        if (!wanted) {
            wanted = true;
            block = withdraw(); // one that was offered between the two looks answers nobody
            if (block != null) {
                wanted = false;
                return block;
            }
            source.call();
        }
        return null;
    }

    /** Whether the last append that had to wait was without a block. */
    public boolean isMissing() {
        return missing;
    }

    /** Notes that an append has to wait for zeros, not for a block. */
    public void onZeros() {
        missing = false;
    }

    /** Notes that an append has to wait because a file could not be opened, not for a block. */
    public void onShortage(Throwable why) {
        missing = false;
        shortage.note(why);
        log.store().descriptors().note(why);
    }

    /**
     * Checks that no refusal is known, so that a block may be in preparation.
     *
     * @throws StoreFullException when no tier had room at the last try and nothing has been freed
     *     since, or when for long a file could not be opened
     */
    public void checkRoom() {
        Refusal last = refusal;
        if (missing && isStillFull(last)) {
            throw new StoreFullException(
                    log + ": no tier has room for another segment: " + last.why.getMessage(),
                    last.why);
        }
        if (!isReserved()) {
            shortage.check();
        }
    }

    /** Whether the tiers were full at the last try and nothing has been freed since. */
    public boolean isKnownToBeFull() {
        return isStillFull(refusal);
    }

    /** Whether the tiers were full at the last try, whatever has been freed since. */
    public boolean isRefusedAsFull() {
        Refusal last = refusal;
        return last != null && last.isFull;
    }

    private boolean isStillFull(Refusal last) {
        return last != null && last.isFull && last.freed == freedBlocks.count();
    }

    /**
     * Waits until the tiers have been asked for a block; an interrupt does not end the wait.
     *
     * @throws StoreFullException when none of them has room, or for long a file could not be opened
     */
    public void await() {
        if (log.store().background().isTidying()) {
            source.supplyNow(); // the callback of a future runs on the thread that reserves
            if (shortage.isNow()) {
                LockSupport.parkNanos(SHORTAGE_NS);
            }
        } else if (log.store().isInvoker()) {
            log.store().invoke();
        } else {
            if (log.store().background().isAtWork()) {
                urgent = true;
                source.call();
            }
            awaitAnswer();
        }
        checkRoom();
    }

    private void awaitAnswer() {
        if (!wanted) {
            // There is a block, or only zeros are in the way, which nothing announces.
            boolean wasInterrupted = Thread.interrupted(); // or it would not park
            LockSupport.parkNanos(!missing && shortage.isNow() ? SHORTAGE_NS : ZEROS_NS);
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
            return;
        }
        boolean interrupted = false;
        long ns = 0;
        answered.enter();
        try {
            int counted = answered.wakeUps();
            while (wanted && !isReserved() && log.state().isWritable()) {
                try {
                    ns = Math.min(Signal.nextNs(ns), LONGEST_WAIT_NS);
                    answered.await(counted, ns);
                    counted = answered.wakeUps();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            answered.leave();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---- the background's side

    public boolean isWanted() {
        return wanted;
    }

    /** Whether it is wanted by a thread for which a backlog must not be waited. */
    boolean isUrgent() {
        return urgent;
    }

    public boolean isReserved() {
        return reserved.get() != null;
    }

    /** Hands over a reserved block. */
    public void offer(LogSegment block) {
        reserved.set(block);
        refusal = null;
        wanted = false;
    }

    /**
     * Answers that no tier has room.
     *
     * @param freed the count of freed blocks before the tiers were asked
     */
    public void refuseAsFull(StoreFullException why, long freed) {
        refusal = new Refusal(true, why, freed);
        wanted = false;
    }

    /** Answers that a block could not be reserved; told only to a writer that wants one. */
    public void refuse(FirnException why) {
        if (wanted) {
            refusal = new Refusal(false, why, 0);
            wanted = false;
        } else if (isKnownToBeFull()) {
            refusal = null; // what the tiers were when they worked says nothing any more
        }
    }

    /** Wakes who waits, whatever the answer is. */
    public void wake() {
        answered.wake();
    }

    /** Takes the reserved block without asking for another one; null when there is none. */
    public LogSegment withdraw() {
        return reserved.getAndSet(null);
    }

    /** As {@link #withdraw}, only a block of this tier. */
    @SuppressWarnings("ReferenceEquality") // this very tier
    LogSegment withdrawFrom(StorageTier tier) {
        LogSegment block = reserved.get();
        boolean isThere = block != null && block.block().tier() == tier;
        return isThere && reserved.compareAndSet(block, null) ? block : null;
    }

    /** Reserves blocks for a partition. Thread-safe. */
    public interface BlockSource {
        /** Makes the background reserve a block, if one is wanted. */
        void call();

        /**
         * Reserves a block on the caller's thread, if one is wanted. Only for the thread that
         * otherwise reserves blocks.
         */
        void supplyNow();
    }
}
