package io.firn.upkeep;

import io.firn.append.OpenAppenders;
import io.firn.background.Background;
import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.block.Backlog;
import io.firn.block.BlockSupplyDuty;
import io.firn.block.DeferredDeleteDuty;
import io.firn.block.IdleViewDuty;
import io.firn.block.NextBlock;
import io.firn.block.PreparationDuty;
import io.firn.log.LogEvents;
import io.firn.log.LogEvents.Checkpoint;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.util.function.Supplier;

/**
 * The background work of a partition, which the append path never does itself. Each job is a {@link
 * Duty} that is called when something has happened; it fails, is reported and is tried again
 * independently of the others. They run on the threads {@code firn-tidy}.
 */
public final class PartitionUpkeep implements LogEvents {
    private final SegmentedLog log;
    private final NextBlock nextBlock;
    private final Backlog backlog;
    private final AppendWatchDuty appendWatch;
    private final BlockSupplyDuty blocks;
    private final PreparationDuty preparation;
    private final MarkDuty marks;
    private final SealDuty seals;
    private final RetentionDuty retention;
    private final Checkpoint checkpoints;
    private final IdleViewDuty views;
    private final DeferredDeleteDuty releases;
    private volatile Runnable onFinished = () -> {};

    /**
     * Creates the duties of a partition.
     *
     * @param ofCheckpoint creates the duty that writes its checkpoint
     */
    public PartitionUpkeep(
            SegmentedLog log,
            OpenAppenders appenders,
            NextBlock nextBlock,
            Supplier<? extends Checkpoint> ofCheckpoint) {
        this.log = log;
        this.nextBlock = nextBlock;
        this.backlog = new Backlog(log);
        Duties duties = log.store().tidying();
        // Duties that are due at the same time run in the order of their creation.
        this.appendWatch =
                new AppendWatchDuty(duties, log, this::onChange, !log.store().isInvoker());
        this.blocks = new BlockSupplyDuty(duties, log, nextBlock, backlog);
        this.preparation = new PreparationDuty(duties, log, appenders);
        this.marks = new MarkDuty(duties, log);
        this.seals = new SealDuty(duties, log, backlog, this::onFinished);
        this.releases = new DeferredDeleteDuty(duties, log, backlog);
        this.checkpoints = ofCheckpoint.get();
        this.retention = new RetentionDuty(duties, log, appenders, checkpoints, releases);
        this.views = new IdleViewDuty(duties, log, releases);
        nextBlock.suppliedBy(blocks);
        backlog.onRoom(blocks::call);
    }

    /** For compaction, which deletes segments. */
    public Checkpoint checkpoints() {
        return checkpoints;
    }

    /** See {@link io.firn.PartitionReader.PartitionMetrics#backlogBytes}. */
    public long backlogBytes() {
        return log.store().isReadOnly() ? 0 : backlog.bytes();
    }

    /** See {@link io.firn.PartitionReader.PartitionMetrics#unreadDeleted}. */
    public long unreadDeleted() {
        return retention.unreadDeleted();
    }

    /** Sets what is called when a segment has its final form; it must not take long. */
    public void onFinished(Runnable told) {
        onFinished = told;
    }

    /** Brings all sealed segments into their final form now; for duties of this partition. */
    public void finishSeals() throws IOException {
        seals.finish();
    }

    /** For moves, which free the blocks that they have copied. */
    public DeferredDeleteDuty releases() {
        return releases;
    }

    // ---- what happens

    /** Called after recovery: some of what it found may be due now, or later by age. */
    public void onRecovered() {
        if (log.segments().length > 0) {
            blocks.call();
            seals.call();
            retention.call();
        }
    }

    @Override
    public void onAppended(boolean isFillingUp) {
        appendWatch.onAppended();
        if (isFillingUp && !nextBlock.isReserved()) {
            blocks.call();
        }
    }

    @Override
    public void onSpaceWanted() {
        preparation.call();
    }

    @Override
    public void onDiscarded(LogSegment segment) {
        releases.discard(segment.block());
    }

    private void onChange() {
        marks.call();
        retention.call();
        checkpoints.call();
    }

    @Override
    public void onSealed() {
        log.publisher().segmentsChanged();
        backlog.onSealed();
        seals.call();
        retention.call(); // after that: nothing may be left to finish
    }

    private void onFinished() {
        log.publisher().segmentsChanged();
        retention.call();
        views.call();
        onFinished.run();
    }

    @Override
    public void onNewLimits() {
        retention.call();
    }

    @Override
    public void onLost() {
        nextBlock.wake(); // no duty supplies a block any more
    }

    @Override
    public void onView() {
        views.call();
    }

    // ---- the end

    /** Persists the final state; everything has been forced. */
    public void settle() {
        Background background = log.store().background();
        background.attempt(log.subject(), seals::finish);
        background.attempt(log.subject(), retention::deleteBelowStart);
    }

    /** Writes the last mark; for several partitions at once. */
    public void writeLastMark(long nowMs) {
        log.store()
                .background()
                .attempt(
                        log.subject(),
                        () -> {
                            marks.writeLast(nowMs);
                            return 0;
                        });
    }

    /** Gives back the reserved block; there are no more appends. */
    public void dropReserved() {
        drop(blocks.withdraw()); // first: it waits for a run, which may still offer a block
        drop(nextBlock.withdraw());
        nextBlock.wake();
    }

    /** Gives back what is reserved in a tier that is drained. */
    public void leave(StorageTier tier) {
        blocks.leave(tier);
    }

    private void drop(LogSegment block) {
        if (block != null) {
            block.takeHold().unpin();
            releases.later(null, block.block().tier(), block.block()::delete);
        }
    }

    /**
     * Removes all segments, each as soon as it is not held, because the topic is deleted or the
     * store is closed. Stops at a segment whose copy is being published; call it again then.
     */
    public void retireAll(boolean delete) {
        if (delete) {
            seals.awaitRun();
        }
        for (LogSegment segment : log.segments()) {
            if (delete && !segment.doom()) {
                return;
            }
            log.segmentList().removeFirst(segment);
            releases.retire(segment, delete);
        }
    }

    /** Frees what can be freed; returns whether no reader holds anything that was retired. */
    public boolean isReleased() {
        releases.run();
        return releases.isStuck();
    }

    /** Frees what can be freed; returns whether everything that was retired is gone. */
    public boolean isAllGone() {
        releases.run();
        return releases.isEmpty();
    }
}
