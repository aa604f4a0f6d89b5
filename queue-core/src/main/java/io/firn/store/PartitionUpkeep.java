package io.firn.store;

import io.firn.FirnException;
import io.firn.StoreFullException;
import io.firn.TopicOptions;
import io.firn.spi.Segment;
import io.firn.spi.StorageTier;
import io.firn.spi.View;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What the background does for a partition, so that the append path never does: a block ahead of
 * the writer, marks, sealed segments brought into their final form, retention, producer
 * checkpoints, and letting go of what no reader holds. One thread.
 */
final class PartitionUpkeep extends Rounds.Duty {
    private static final System.Logger LOG = System.getLogger("io.firn");

    /** A block is set aside as soon as this part of the active one is filled. */
    private static final int RESERVE_AT_FRACTION = 8;

    private static final long CHECKPOINT_MS = 1_000;
    private static final long CHECKPOINT_BYTES = 32L << 20;
    private static final long IDLE_VIEW_MS = 10_000;
    private static final long RETENTION_CHECK_MS = 100;
    private static final long FULL_RETRY_MS = 1_000;

    private final PartitionLog log;
    private final Signal reservedOrFailed = new Signal();
    private final Releases releases;
    private final AtomicReference<LogSegment> reserved = new AtomicReference<>();
    private volatile boolean blockWanted;
    private volatile FirnException failure;

    private long lastMarkMs;
    private long lastRetentionMs;
    private long lastFullMs = Long.MIN_VALUE;
    private long lastViewsMs;
    private long lastCheckpointMs;
    private long checkpointChanges;
    private long checkpointBytes;
    private long checkpointOffset = -1;

    PartitionUpkeep(PartitionLog log) {
        super(log);
        this.log = log;
        this.releases = new Releases(log);
    }

    Releases releases() {
        return releases;
    }

    // ---- the writer's side

    /** The block that was set aside, held; null when it is to come. The caller has the turn. */
    LogSegment takeReserved() {
        LogSegment block = reserved.getAndSet(null); // the writer gets it or the end, never both
        if (block != null) {
            return block;
        }
        FirnException why = failure;
        if (why != null) {
            failure = null;
            throw why instanceof StoreFullException full
                    ? log.full(full)
                    : new FirnException(log + ": no block for a segment: " + why.getMessage(), why);
        }
        if (!blockWanted) {
            blockWanted = true;
            log.store().call(this);
        }
        return null;
    }

    /** Waits for a block, or for word that there is none; no interrupt ends it. */
    void awaitReserved() {
        if (log.store().isTidying()) {
            reserveForCallback();
            return;
        }
        if (log.store().isInvoker()) {
            log.store().doWork();
            return;
        }
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
                reserve(log.store().clock().time());
            }
        } catch (IOException | RuntimeException | InternalError e) {
            // Whoever waits is told by its next try.
            LOG.log(System.Logger.Level.ERROR, log + ": no block could be prepared", e);
        }
    }

    @Override
    public int run() throws IOException {
        long nowMs = log.store().clock().time();
        int work = releases.run();
        if (log.state().isGone()) {
            return work;
        }
        if (reserved.get() == null && isBlockDue(nowMs) && !log.state().isPoisoned()) {
            reserve(nowMs);
            work++;
        }
        if (nowMs - lastMarkMs >= log.store().config().markIntervalMs() || nowMs < lastMarkMs) {
            lastMarkMs = nowMs;
            writeMark();
        }
        work += finishSealed();
        if (nowMs - lastRetentionMs >= RETENTION_CHECK_MS || nowMs < lastRetentionMs) {
            lastRetentionMs = nowMs;
            rollByAge(nowMs);
            work += retain(nowMs);
        }
        work += deleteBelowStart();
        if (isCheckpointDue(nowMs)) {
            checkpoint(nowMs);
        }
        if (nowMs - lastViewsMs >= IDLE_VIEW_MS || nowMs < lastViewsMs) {
            lastViewsMs = nowMs;
            detachIdleViews();
        }
        return work;
    }

    /** At once when somebody waits; ahead of need not again and again while all tiers are full. */
    private boolean isBlockDue(long nowMs) {
        boolean wasFull = lastFullMs <= nowMs && nowMs - FULL_RETRY_MS < lastFullMs;
        return blockWanted || (!wasFull && isFillingUp());
    }

    private boolean isFillingUp() {
        LogSegment active = log.activeSegment();
        return active != null && active.written() > active.capacity / RESERVE_AT_FRACTION;
    }

    private void reserve(long nowMs) throws IOException {
        StoreFullException full = null;
        IOException broken = null;
        try {
            for (TierState state : log.topicLog().tiersInRotation()) {
                try {
                    LogSegment segment = reserveIn(state.tier());
                    state.onSuccess();
                    reserved.set(segment);
                    if (state.index() != log.topicLog().tiers().get(0).index()) {
                        state.onSpill(segment.block.usedBytes());
                    }
                    blockWanted = false;
                    return;
                } catch (StoreFullException e) {
                    state.noteError(e);
                    full = full == null ? e : full;
                } catch (IOException e) {
                    state.onFailure(e); // the log goes on in the others
                    broken = broken == null ? e : broken;
                }
            }
            if (full == null) {
                throw broken;
            }
            lastFullMs = nowMs;
            refuse(full);
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

    /** Writes down how far the active segment is durable; what was forced before, never more. */
    void writeMark() throws IOException {
        LogSegment[] all = log.segments();
        int i = log.firstUnsealed(all);
        if (i < all.length) {
            all[i].writeMark(log.store().clock().time());
        }
    }

    private int finishSealed() throws IOException {
        int finished = 0;
        LogSegment[] all = log.segments();
        for (int i = all.length - 1; i >= 0; i--) {
            LogSegment segment = all[i];
            if (segment.sealed) {
                if (segment.block.isFinished()) {
                    break; // they are finished in order
                }
                finished++;
            }
        }
        for (LogSegment segment : all) {
            if (finished > 0 && segment.sealed && !segment.block.isFinished()) {
                segment.finishSeal();
            }
        }
        return finished;
    }

    private void rollByAge(long nowMs) {
        long rollMs = log.topicLog().options().rollMs();
        LogSegment active = log.activeSegment();
        if (rollMs == TopicOptions.UNLIMITED || active == null || active.written() == 0) {
            return;
        }
        if (nowMs - active.beginTimeMs(nowMs) >= rollMs) {
            log.endSegment();
        }
    }

    /** Raises the log start where size or age ask for it; whole sealed segments only. */
    private int retain(long nowMs) throws IOException {
        TopicOptions options = log.topicLog().options();
        LogSegment[] all = log.segments();
        long bytes = 0;
        if (options.retentionBytes() != TopicOptions.UNLIMITED) {
            for (LogSegment segment : all) {
                bytes += segment.written();
            }
        }
        long start = log.logStartOffset();
        for (LogSegment segment : all) {
            if (!segment.sealed) {
                break;
            }
            boolean tooMuch =
                    options.retentionBytes() != TopicOptions.UNLIMITED
                            && bytes - segment.written() >= options.retentionBytes();
            boolean tooOld =
                    options.retentionMs() != TopicOptions.UNLIMITED
                            && nowMs - segment.block.mark().sealTimeMs() > options.retentionMs();
            if (!tooMuch && !tooOld) {
                break;
            }
            bytes -= segment.written();
            start = segment.endOffset;
        }
        if (start <= log.logStartOffset()) {
            return 0;
        }
        log.raiseLogStart(Math.min(start, log.durableOffset()));
        return 1;
    }

    /** Takes away what lies wholly below the log start, which is durable by now. */
    private int deleteBelowStart() throws IOException {
        int deleted = 0;
        for (LogSegment segment : log.segments()) {
            boolean below = segment.endOffset <= log.logStartOffset();
            if (!below || !segment.sealed || !segment.block.isFinished()) {
                break;
            }
            if (!isCheckpointed(segment) || !segment.doom()) {
                break;
            }
            log.removeFirst(segment);
            retire(segment, true);
            deleted++;
        }
        return deleted;
    }

    /**
     * Recovery learns what producers did from their batches, or, when these are gone, from here.
     */
    private boolean isCheckpointed(LogSegment segment) throws IOException {
        if (segment.endOffset > checkpointOffset
                && log.producers().changes() != checkpointChanges) {
            if (log.state().isPoisoned()) {
                return false;
            }
            checkpoint(log.store().clock().time());
            return segment.endOffset <= checkpointOffset;
        }
        return true;
    }

    private void retire(LogSegment segment, boolean delete) {
        View view = segment.detachView();
        if (delete) {
            Segment block = segment.block; // doomed, it is not exchanged any more
            releases.later(view, block::delete);
        } else if (view != null) {
            releases.later(view, Releases.Release.NOTHING);
        }
    }

    private void detachIdleViews() {
        for (LogSegment segment : log.segments()) {
            if (segment.sealed && segment.block.isFinished()) {
                View idle = segment.detachIdleView();
                if (idle != null) {
                    releases.later(idle, Releases.Release.NOTHING);
                }
            }
        }
    }

    private boolean isCheckpointDue(long nowMs) {
        if (log.state().isPoisoned() || log.nextOffset() == checkpointOffset) {
            return false;
        }
        boolean time =
                (nowMs - lastCheckpointMs >= CHECKPOINT_MS || nowMs < lastCheckpointMs)
                        && log.producers().changes() != checkpointChanges;
        return time || log.appendedBytes() - checkpointBytes >= CHECKPOINT_BYTES;
    }

    /**
     * Writes down what is known of producers, as of an offset that was forced before: a checkpoint
     * must not know batches that a crash can take back.
     */
    void checkpoint(long nowMs) throws IOException {
        Producers producers = log.producers();
        producers.expire(nowMs - log.store().config().producerExpiryMs());
        long changes = producers.changes();
        long bytes = log.appendedBytes();
        var snapshot = producers.snapshot(log::nextOffset);
        long offset = Producers.snapshotOffset(snapshot);
        if (log.forcer().forceNow() && log.durableOffset() >= offset) {
            log.topicLog().files().writeProducers(log.index(), snapshot);
            checkpointChanges = changes;
            checkpointBytes = bytes;
            checkpointOffset = offset;
        }
        lastCheckpointMs = nowMs;
    }

    // ---- the end

    /** Writes down where everything stands; everything was forced. */
    void settle(long nowMs) throws IOException {
        try {
            finishSealed();
            deleteBelowStart();
            writeMark();
            if (log.nextOffset() != checkpointOffset) {
                checkpoint(nowMs);
            }
        } finally {
            // Whatever failed: nobody else lets go of it.
            dropReserved();
        }
    }

    /** Gives back the block that was set aside; nobody appends any more. */
    void dropReserved() throws IOException {
        LogSegment block = reserved.getAndSet(null);
        if (block != null) {
            block.takeHold().unpin();
            block.block.delete();
        }
        reservedOrFailed.wake();
    }

    /**
     * Removes all segments as soon as nobody holds them, because the topic is deleted or the store
     * is closed. Those after one whose copy is being published stay; call it again.
     */
    void retireAll(boolean delete) {
        for (LogSegment segment : log.segments()) {
            if (delete && !segment.doom()) {
                return;
            }
            log.removeFirst(segment);
            retire(segment, delete);
        }
    }

    /** Whether everything that was retired is released. */
    boolean isReleased() throws IOException {
        releases.run();
        return releases.isEmpty();
    }
}
