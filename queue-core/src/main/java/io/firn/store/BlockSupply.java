package io.firn.store;

import io.firn.FirnException;
import io.firn.StoreFullException;
import io.firn.spi.Block;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Reserves a partition's next block before the writer needs it, so that an append never waits for a
 * file. It runs when the active segment is filled to a certain part, and when the writer finds no
 * block. The writer's side is for the thread that has the turn; the background calls {@link #run}.
 */
final class BlockSupply extends Duty {
    private static final System.Logger LOG = System.getLogger("io.firn");

    /** The next block is reserved as soon as this part (one eighth) of the active one is filled. */
    private static final int RESERVE_AT_FRACTION = 8;

    private static final long FULL_RETRY_MS = 1_000;

    private final PartitionLog log;
    private final Signal reservedOrFailed = new Signal();
    private final AtomicReference<LogSegment> reserved = new AtomicReference<>();
    private volatile boolean blockWanted;
    private volatile FirnException failure;
    private volatile Full full;
    private long lastFullMs = Long.MIN_VALUE;

    /**
     * A refusal: no tier had room.
     *
     * @param freed the store's count of freed blocks before the tiers were asked; the refusal holds
     *     until that count grows
     */
    private record Full(StoreFullException why, long freed) {}

    BlockSupply(Duties duties, PartitionLog log) {
        // An append may be waiting, so every pause is the shortest one.
        super(duties, log, "the next block", new BackOff(0));
        this.log = log;
    }

    /** The position above which a segment's successor is reserved. */
    static int reserveAbove(LogSegment active) {
        return active.capacity / RESERVE_AT_FRACTION;
    }

    // ---- the writer's side

    /**
     * Takes the reserved block, held. The caller has the turn.
     *
     * @return null when there is none; the background then asks the tiers for one
     */
    LogSegment take() {
        LogSegment block = reserved.getAndSet(null); // the writer gets it or the close, not both
        if (block != null) {
            return block;
        }
        FirnException why = failure;
        if (why != null) {
            failure = null;
            throw new FirnException(log + ": no block for a segment: " + why.getMessage(), why);
        }
        if (!blockWanted) {
            blockWanted = true;
            call();
        }
        return null;
    }

    /**
     * Checks that no refusal is known, so that a block may be in preparation.
     *
     * @throws StoreFullException when no tier had room at the last try and nothing has been freed
     *     since
     */
    void checkRoom() {
        Full known = full;
        if (isStillFull(known)) {
            throw log.full(known.why);
        }
    }

    private boolean isStillFull(Full known) {
        return known != null && known.freed == log.store().freedBlocks();
    }

    /**
     * Waits until the tiers have been asked for a block; an interrupt does not end the wait.
     *
     * @throws StoreFullException when none of them has room
     */
    void await() {
        if (log.store().isTidying()) {
            reserveForCallback();
        } else if (log.store().isInvoker()) {
            log.store().doWork();
        } else {
            awaitLook();
        }
        checkRoom();
    }

    private void awaitLook() {
        boolean interrupted = false;
        reservedOrFailed.enter();
        try {
            while (blockWanted && log.state().isWritable()) {
                try {
                    reservedOrFailed.await(Long.MAX_VALUE);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            reservedOrFailed.leave();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---- the background's side

    /**
     * Reserves on the caller's thread: the callback of a future runs on the thread that otherwise
     * reserves.
     */
    private void reserveForCallback() {
        try {
            if (blockWanted) {
                reserve();
            }
        } catch (IOException | RuntimeException | InternalError e) {
            // A waiting append gets the error from its next try.
            LOG.log(System.Logger.Level.ERROR, log + ": no block could be prepared", e);
        }
    }

    @Override
    public int run() throws IOException {
        if (log.state().isGone() || log.state().isPoisoned() || reserved.get() != null) {
            return 0;
        }
        if (!blockWanted) {
            if (!isFillingUp()) {
                return 0;
            }
            // While all tiers are full, reserving ahead of need is not tried again and again.
            boolean wasFull =
                    isStillFull(full)
                            && lastFullMs <= nowMs()
                            && nowMs() - FULL_RETRY_MS < lastFullMs;
            if (wasFull) {
                againAt(lastFullMs + FULL_RETRY_MS);
                return 0;
            }
        }
        reserve();
        if (reserved.get() == null && isFillingUp()) {
            againAt(nowMs() + FULL_RETRY_MS);
        }
        return 1;
    }

    private boolean isFillingUp() {
        LogSegment active = log.activeSegment();
        return active != null && active.written() > reserveAbove(active);
    }

    private void reserve() throws IOException {
        long freed = log.store().freedBlocks(); // before the tiers are asked
        StoreFullException noRoom = null;
        IOException broken = null;
        try {
            for (TierState state : log.topicLog().tiersInRotation()) {
                try {
                    LogSegment segment = reserveIn(state.tier());
                    state.onSuccess();
                    reserved.set(segment);
                    full = null;
                    if (state.index() != log.topicLog().tiers().get(0).index()) {
                        state.onSpill(segment.block.usedBytes());
                    }
                    blockWanted = false;
                    return;
                } catch (StoreFullException e) {
                    state.noteError(e);
                    noRoom = noRoom == null ? e : noRoom;
                } catch (IOException e) {
                    state.onFailure(e); // the log continues in the other tiers
                    broken = broken == null ? e : broken;
                }
            }
            if (noRoom == null) {
                throw broken;
            }
            lastFullMs = nowMs();
            full = new Full(noRoom, freed);
            blockWanted = false;
            log.store().onNoRoom(this, freed);
        } catch (IOException | RuntimeException | InternalError e) {
            // Whatever failed, an append may be waiting for the outcome.
            refuse(new FirnException(e.getMessage(), e));
            throw e;
        } finally {
            reservedOrFailed.wake();
        }
    }

    private LogSegment reserveIn(StorageTier tier) throws IOException {
        long epoch = log.store().nextEpoch();
        Block block = tier.reserve(log.topicLog().id(), log.index(), log.segmentBytes(), epoch);
        LogSegment segment =
                new LogSegment(block, block.mark().epoch(), new SparseIndex(block.capacity()));
        segment.hold();
        return segment;
    }

    private void refuse(FirnException why) {
        full = null; // what they were when they worked says nothing any more
        if (blockWanted) {
            failure = why;
            blockWanted = false;
        }
    }

    // ---- the end

    /** Takes the reserved block, to be given back; null for none. Called after the last append. */
    LogSegment withdraw() {
        LogSegment block = reserved.getAndSet(null);
        reservedOrFailed.wake();
        return block;
    }
}
