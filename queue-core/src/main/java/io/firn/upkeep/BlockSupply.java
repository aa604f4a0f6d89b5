package io.firn.upkeep;

import io.firn.FirnException;
import io.firn.StoreFullException;
import io.firn.append.BlockSource;
import io.firn.append.NextBlock;
import io.firn.background.BackOff;
import io.firn.background.Duties;
import io.firn.background.Duty;
import io.firn.log.LogContext;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.log.SparseIndex;
import io.firn.log.TierState;
import io.firn.spi.Block;
import io.firn.spi.StorageTier;
import java.io.IOException;

/**
 * Reserves a partition's next block before the writer needs it, so that an append never waits for a
 * file. It runs when the active segment is filled to a certain part, and when the writer finds no
 * block.
 */
final class BlockSupply extends Duty implements BlockSource {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final long FULL_RETRY_MS = 1_000;

    private final SegmentedLog log;
    private final LogContext store;
    private final NextBlock next;
    private long lastFullMs = Long.MIN_VALUE;

    BlockSupply(Duties duties, SegmentedLog log, NextBlock next) {
        // An append may be waiting, so every pause is the shortest one.
        super(duties, log, "the next block", new BackOff(duties.nanoClock(), 0));
        this.log = log;
        this.store = log.store();
        this.next = next;
    }

    @Override
    public void supplyNow() {
        try {
            if (next.isWanted()) {
                reserve();
            }
        } catch (IOException | RuntimeException | InternalError e) {
            // A waiting append gets the error from its next try.
            LOG.log(System.Logger.Level.ERROR, log + ": no block could be prepared", e);
        }
    }

    @Override
    public int run() throws IOException {
        if (log.state().isGone() || log.state().isPoisoned() || next.isReserved()) {
            return 0;
        }
        if (!next.isWanted()) {
            if (!isFillingUp()) {
                return 0;
            }
            // While all tiers are full, reserving ahead of need is not tried again and again.
            boolean wasFull =
                    next.isKnownToBeFull()
                            && lastFullMs <= nowMs()
                            && nowMs() - FULL_RETRY_MS < lastFullMs;
            if (wasFull) {
                againAt(lastFullMs + FULL_RETRY_MS);
                return 0;
            }
        }
        reserve();
        if (!next.isReserved() && isFillingUp()) {
            againAt(nowMs() + FULL_RETRY_MS);
        }
        return 1;
    }

    private boolean isFillingUp() {
        LogSegment active = log.activeSegment();
        return active != null && active.written() > NextBlock.reserveAbove(active);
    }

    private void reserve() throws IOException {
        long freed = store.freedBlocks().count(); // before the tiers are asked
        StoreFullException noRoom = null;
        IOException broken = null;
        try {
            for (TierState state : log.topic().tiersInRotation()) {
                try {
                    LogSegment segment = reserveIn(state.tier());
                    state.onSuccess();
                    if (state.index() != log.topic().tiers().get(0).index()) {
                        state.onSpill(segment.block.usedBytes());
                    }
                    next.offer(segment);
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
            next.refuseAsFull(noRoom, freed);
            store.freedBlocks().onNoRoom(this, freed);
        } catch (IOException | RuntimeException | InternalError e) {
            // Whatever failed, an append may be waiting for the outcome.
            next.refuse(new FirnException(e.getMessage(), e));
            throw e;
        } finally {
            next.wake();
        }
    }

    /** With as much prepared space as the topic's options want; without it the tier is full. */
    private LogSegment reserveIn(StorageTier tier) throws IOException {
        LogSegment segment = reserveSparse(tier);
        int wanted = Math.min(log.topic().options().preparedBytes(), segment.capacity);
        if (wanted == 0 || !segment.isWrittenByCalls) {
            return segment;
        }
        try {
            segment.block.prepare(0, wanted, log.isDurable());
            segment.preparedTo = wanted;
            return segment;
        } catch (IOException | RuntimeException | InternalError e) {
            try {
                segment.takeHold().unpin();
                segment.block.delete(); // what the zeros took is free again
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private LogSegment reserveSparse(StorageTier tier) throws IOException {
        long epoch = store.nextEpoch();
        Block block = tier.reserve(log.topic().id(), log.index(), log.segmentBytes(), epoch);
        // A partition that has begun to fill a segment will fill others, and an append never
        // allocates; most of many partitions never do.
        SparseIndex index =
                log.activeSegment() == null
                        ? new SparseIndex(block.capacity())
                        : SparseIndex.roomy(block.capacity());
        LogSegment segment = new LogSegment(block, block.mark().epoch(), index);
        segment.hold();
        return segment;
    }
}
