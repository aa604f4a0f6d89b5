package io.firn.block;

import io.firn.Finding.Kind;
import io.firn.RefusedException;
import io.firn.StoreFullException;
import io.firn.background.BackOff;
import io.firn.background.Background;
import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.findings.FindingKey;
import io.firn.log.LogContext;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.log.SparseIndex;
import io.firn.log.StaleBytes;
import io.firn.log.TierState;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.FileMedium;
import io.firn.medium.GuardedLog;
import io.firn.spi.Block;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.concurrent.GuardedBy;

/**
 * Reserves a partition's next block before the writer needs it, so that an append never waits for a
 * file. It runs when the active segment is filled to a certain part, and when the writer finds no
 * block; for several partitions at once, and beside the other duties of this one. A run, {@link
 * #supplyNow} and {@link #withdraw} exclude each other.
 */
public final class BlockSupplyDuty extends Duty implements NextBlock.BlockSource {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final long RETRY_MS = 1_000;

    private static final int START_FILE_BYTES = 8 * 1024;

    private final SegmentedLog log;
    private final LogContext store;
    private final NextBlock next;
    private final Backlog backlog;

    /** Of the finding that the store's directory is full. */
    private final FindingKey noStartFile;

    private long lastFullMs = Long.MIN_VALUE;

    /** Null when none is in progress. */
    @GuardedBy("this")
    private Attempt attempt;

    public BlockSupplyDuty(Duties duties, SegmentedLog log, NextBlock next, Backlog backlog) {
        // An append may be waiting, so every pause is the shortest one.
        super(
                duties,
                FindingKey.job(log.subject(), "the next block"),
                new BackOff(duties.nanoClock(), 0));
        this.log = log;
        this.store = log.store();
        this.next = next;
        this.backlog = backlog;
        this.noStartFile = FindingKey.of(Kind.DIRECTORY_FULL, log.subject());
    }

    @Override
    public synchronized void supplyNow() {
        try {
            // The deletion of the topic may have ended already: a block would outlive it.
            if (next.isWanted() && !log.state().isGone()) {
                reserve(true);
            }
        } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
            // A waiting append gets the error from its next try.
            if (!store.descriptors().note(e)) {
                LOG.log(Level.ERROR, log + ": no block could be prepared", e);
            }
        }
    }

    @Override
    public synchronized int run() throws IOException {
        if (log.state().isGone() || log.state().isPoisoned()) {
            stopProbing();
            return 0;
        }
        boolean isShort = store.descriptors().isNow() && !next.isWanted();
        if (isShort) {
            giveBackUnused();
        }
        if (isHeldBack() || next.isReserved()) {
            return 0;
        }
        if (attempt == null && !next.isWanted()) {
            if (!isFillingUp() && !isProbing()) {
                return 0;
            }
            if (isShort) {
                againAt(nowMs() + RETRY_MS);
                return 0;
            }
            // While all tiers are full, reserving ahead of need is not tried again and again.
            boolean wasFull =
                    next.isKnownToBeFull()
                            && lastFullMs <= nowMs()
                            && nowMs() - RETRY_MS < lastFullMs;
            if (wasFull) {
                againAt(lastFullMs + RETRY_MS);
                return 0;
            }
        }
        reserve(false);
        if (attempt == null && !next.isReserved() && (isFillingUp() || isProbing())) {
            againAt(nowMs() + RETRY_MS);
        }
        return 1;
    }

    /** Segments that were filled before are sealed, and what is due is deleted, before others. */
    @GuardedBy("this")
    private boolean isHeldBack() {
        // A lack of descriptors may be what keeps the background from it: the append is to know.
        boolean waitsForNone = next.isUrgent() || store.descriptors().isNow();
        boolean isBehind = attempt == null && !waitsForNone && backlog.holdsBack();
        againAt(backlog.note(isBehind && next.isWanted(), nowMs()));
        return isBehind;
    }

    /** Whether it asks a full tier from time to time, of all that found no room in it. */
    private boolean isProbing() {
        return next.isRefusedAsFull()
                && log.topic().tiers().stream().anyMatch(tier -> tier.isProbedBy(this));
    }

    private void stopProbing() {
        log.topic().tiers().forEach(tier -> tier.stopProbing(this));
        store.findings().end(noStartFile);
        backlog.end();
    }

    /**
     * While there are too few descriptors, what is reserved ahead of need, or was not taken by who
     * asked for it, leaves its own to those who wait for one.
     */
    @GuardedBy("this")
    private void giveBackUnused() {
        LogSegment unused = next.withdraw();
        if (unused == null) {
            unused = takeBeingPrepared();
        }
        if (unused != null) {
            unused.takeHold().unpin();
            log.events().onDiscarded(unused);
        }
    }

    /** Gives back what is reserved or prepared in a tier that is drained; another one follows. */
    @SuppressWarnings("ReferenceEquality") // this very tier
    public synchronized void leave(StorageTier tier) {
        LogSegment unused = next.withdrawFrom(tier);
        if (unused == null
                && attempt != null
                && attempt.segment != null
                && attempt.segment.block().tier() == tier) {
            unused = takeBeingPrepared();
        }
        if (unused != null) {
            unused.takeHold().unpin();
            log.events().onDiscarded(unused);
            call();
        }
    }

    @GuardedBy("this")
    private LogSegment takeBeingPrepared() {
        LogSegment unused = attempt == null ? null : attempt.segment;
        attempt = null;
        return unused;
    }

    @Override
    protected int lane() {
        return Background.RESERVING;
    }

    private boolean isFillingUp() {
        LogSegment active = log.activeSegment();
        return active != null && active.written() > NextBlock.reserveAbove(active);
    }

    /**
     * Reserves a block; where much space is to be prepared in it, in several runs.
     *
     * @param atOnce whether this run has to end it
     */
    @GuardedBy("this")
    private void reserve(boolean atOnce) throws IOException {
        if (attempt == null) {
            attempt = new Attempt();
        }
        boolean ended = true;
        try {
            do {
                ended = true; // also when it throws
                ended = attempt.step();
            } while (!ended && atOnce);
        } catch (IOException | RuntimeException | Error e) {
            // Whatever failed, an append may be waiting for the outcome.
            next.refuse(new RefusedException(e instanceof Error ? e + "" : e.getMessage(), e));
            throw e;
        } finally {
            if (ended) {
                attempt = null;
                next.wake();
            } else if (isNeededSoon()) {
                call();
            } else {
                againAt(nowMs() + PreparedSpace.PAUSE_MS);
            }
        }
    }

    /** Whether the writer needs the block before long. */
    private boolean isNeededSoon() {
        LogSegment active = log.activeSegment();
        return next.isWanted() || active == null || active.written() > active.capacity() / 2;
    }

    private int stepBytes() {
        return isNeededSoon() ? PreparedSpace.STEP : PreparedSpace.SMALL_STEP;
    }

    /** Returns a block that is being prepared and is not handed over; null if there is none. */
    public synchronized LogSegment withdraw() {
        store.descriptors().forget(this);
        stopProbing();
        return takeBeingPrepared();
    }

    /** A try to get a block from one of the tiers. */
    private final class Attempt {
        private final long freed = store.freedBlocks().count(); // before the tiers are asked
        private final Iterator<TierState> tiers = log.topic().tiersInRotation().iterator();
        private final Map<TierState, StoreFullException> full = new LinkedHashMap<>();
        private TierState state;
        private LogSegment segment;
        private StoreFullException noRoom;
        private IOException broken;
        private boolean canDelete = true;

        /** Returns whether the writer has its answer; otherwise another step has to follow. */
        boolean step() throws IOException {
            String lack = log.topic().lackOfTiers();
            if (lack != null) {
                throw new RefusedException(lack);
            }
            if (state == null) {
                ensureDeletable();
            }
            while (segment != null || (canDelete && tiers.hasNext())) {
                try {
                    if (segment == null) {
                        state = tiers.next();
                        segment = reserveSparse(state);
                    }
                    if (!prepare()) {
                        return false;
                    }
                    offer();
                    return true;
                } catch (StoreFullException e) {
                    giveBack(e);
                    state.noteError(e);
                    full.put(state, e);
                    noRoom = noRoom == null ? e : noRoom;
                } catch (IOException e) {
                    giveBack(e);
                    state.onFailure(e); // the log continues in the other tiers
                    boolean isShortage = OutOfDescriptorsException.isReasonFor(e);
                    broken = broken == null || isShortage ? e : broken;
                } catch (RuntimeException | Error e) {
                    giveBack(e);
                    throw e;
                }
            }
            if (noRoom == null || OutOfDescriptorsException.isReasonFor(broken)) {
                throw broken; // a lack passes, and that tier may have room
            }
            if (broken != null) {
                noRoom.addSuppressed(broken);
            }
            lastFullMs = nowMs();
            full.forEach((tier, why) -> tier.onRefusal(why, BlockSupplyDuty.this));
            next.refuseAsFull(noRoom, freed);
            store.freedBlocks().onNoRoom(BlockSupplyDuty.this, freed);
            return true;
        }

        /**
         * A partition with several segments can delete one also when the disk is full: its log
         * start has a file, whose replacement needs no space.
         */
        private void ensureDeletable() {
            try {
                store.files().spareSpace().ensure();
                if (log.segments().length > 0) {
                    log.ensureStartFile();
                }
                store.findings().end(noStartFile);
            } catch (IOException e) {
                FileMedium medium = store.files().medium();
                Path directory = store.files().directory();
                if (!FileMedium.isNoSpace(e, medium, directory, START_FILE_BYTES)) {
                    if (!store.descriptors().note(e)) {
                        LOG.log(Level.WARNING, log + ": no log start was written", e);
                    }
                    return; // a deletion will say so, too, and appends do not depend on it
                }
                noRoom =
                        new StoreFullException(
                                directory + " has no space for the log start of " + log, e);
                store.findings()
                        .begin(
                                noStartFile,
                                noRoom.getMessage()
                                        + "; appends are refused once the segment is full: free"
                                        + " some space on its file system");
                canDelete = false;
            }
        }

        private void offer() {
            state.onSuccess();
            if (log.topic().isSpill(state)) {
                state.onSpill(segment.block().usedBytes());
            }
            boolean isAhead = !next.isWanted();
            next.offer(segment);
            segment = null;
            store.descriptors().callInShortage(BlockSupplyDuty.this);
            if (isAhead && store.descriptors().isNow()) {
                call(); // it has begun meanwhile
            }
        }

        /**
         * Prepares as much space as the topic's options want, without which the tier is full, or
         * all of a block into which every batch is stored.
         *
         * @return whether there is as much
         */
        private boolean prepare() throws IOException {
            if (log.topic().isReplicated() && segment.block().mayHoldStaleBytes()) {
                return clear();
            }
            int asked = log.topic().options().preparedBytes();
            int wanted =
                    segment.isWrittenByCalls()
                            ? Math.min(PreparedSpace.pageAfter(asked), segment.capacity())
                            : segment.capacity();
            int from = segment.preparedTo();
            if (from >= wanted) {
                return true;
            }
            int to = from + Math.min(stepBytes(), wanted - from);
            segment.block().prepare(from, to, log.isDurable());
            segment.prepareTo(to);
            return to == wanted;
        }

        /** Removes what an earlier use has left in the block (O27); returns whether all is gone. */
        private boolean clear() throws IOException {
            int from = segment.preparedTo();
            int to = from + Math.min(stepBytes(), segment.capacity() - from);
            StaleBytes.erase(segment.block(), from, to);
            segment.prepareTo(to);
            return to == segment.capacity();
        }

        /** What the zeros took is free again. */
        private void giveBack(Throwable why) {
            if (segment == null) {
                return;
            }
            LogSegment unused = segment;
            segment = null;
            try {
                unused.takeHold().unpin();
                unused.block().delete();
            } catch (IOException | RuntimeException | Error suppressed) {
                why.addSuppressed(suppressed);
            }
        }
    }

    private LogSegment reserveSparse(TierState tier) throws IOException {
        long epoch = store.nextEpoch();
        Block block =
                tier.reserve(log.topic().id(), log.index(), log.topic().segmentBytes(), epoch);
        try {
            return segmentIn(block);
        } catch (IOException | RuntimeException | Error e) { // a lack of memory may pass
            try {
                block.delete();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private LogSegment segmentIn(Block block) throws IOException {
        // A partition that has begun to fill a segment will fill others, and an append never
        // allocates; most of many partitions never do.
        SparseIndex index =
                log.activeSegment() == null
                        ? new SparseIndex(block.capacity())
                        : SparseIndex.roomy(block.capacity());
        LogSegment segment =
                new LogSegment(block, block.mark().epoch(), index)
                        .ofReplica(log.topic().isReplicated());
        segment.hold();
        return segment;
    }
}
