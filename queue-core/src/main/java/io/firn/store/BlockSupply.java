package io.firn.store;

import io.firn.FirnException;
import io.firn.StoreFullException;
import io.firn.spi.Segment;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Sets a partition's next block aside before the writer needs it, so that an append never waits for
 * a file. It is called for when the active segment is filled to a certain part, and when the writer
 * finds no block. The writer's side is for whoever has the turn; {@link #run} is the background's.
 */
final class BlockSupply extends Duty {
    private static final System.Logger LOG = System.getLogger("io.firn");

    /** A block is set aside as soon as this part of the active one is filled. */
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
     * No tier had room.
     *
     * @param freed what had been freed in the store when the tiers were asked; that there is no
     *     room is known for as long as no more was
     */
    private record Full(StoreFullException why, long freed) {}

    BlockSupply(Duties duties, PartitionLog log) {
        // Somebody may be waiting: never longer than the shortest pause.
        super(duties, log, "the next block", new BackOff(0));
        this.log = log;
    }

    /** How far a segment is filled when the next one is set aside. */
    static int reserveAbove(LogSegment active) {
        return active.capacity / RESERVE_AT_FRACTION;
    }

    // ---- the writer's side

    /**
     * The block that was set aside, held. The caller has the turn.
     *
     * @return null when there is none; the tiers are asked for one
     */
    LogSegment take() {
        LogSegment block = reserved.getAndSet(null); // the writer gets it or the end, never both
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
     * Checks that a block may be on its way.
     *
     * @throws StoreFullException when no tier had room the last time, and nothing was freed since
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
     * Waits until the tiers were asked for a block; no interrupt ends it.
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

    /** The callback of a future runs on this very thread, and waits for what it is to do. */
    private void reserveForCallback() {
        try {
            if (blockWanted) {
                reserve();
            }
        } catch (IOException | RuntimeException | InternalError e) {
            // Whoever waits is told by its next try.
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
            // Ahead of need not again and again while all tiers are full.
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
                    state.onFailure(e); // the log goes on in the others
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
            // Whatever it was, somebody may be waiting for an answer.
            refuse(new FirnException(e.getMessage(), e));
            throw e;
        } finally {
            reservedOrFailed.wake();
        }
    }

    private LogSegment reserveIn(StorageTier tier) throws IOException {
        long epoch = log.store().nextEpoch();
        Segment block = tier.reserve(log.topicLog().id(), log.index(), log.segmentBytes(), epoch);
        LogSegment segment =
                new LogSegment(block, block.mark().epoch(), new SparseIndex(block.capacity()));
        segment.hold();
        return segment;
    }

    private void refuse(FirnException why) {
        if (blockWanted) {
            failure = why;
            blockWanted = false;
        }
    }

    // ---- the end

    /** The block that was set aside, to be given back; null for none. Nobody appends any more. */
    LogSegment withdraw() {
        LogSegment block = reserved.getAndSet(null);
        reservedOrFailed.wake();
        return block;
    }
}
