package io.firn.store;

import io.firn.spi.Block;
import io.firn.spi.View;

/**
 * The background work of a partition, which the append path never does itself. Each job is a {@link
 * Duty} that is called when something has happened; it fails, is reported and is tried again
 * independently of the others. All of them run on one thread.
 */
final class PartitionUpkeep {
    private final PartitionLog log;
    private final Pulse pulse;
    private final BlockSupply blocks;
    private final Marks marks;
    private final Seals seals;
    private final Retention retention;
    private final Checkpoints checkpoints;
    private final IdleViews views;
    private final Releases releases;

    /**
     * Creates the duties of a partition.
     *
     * @param checkpointOffset the offset of its producer checkpoint; −1 for none
     */
    PartitionUpkeep(PartitionLog log, long checkpointOffset) {
        this.log = log;
        Duties duties = log.store().tidying();
        this.pulse = new Pulse(duties, log, this);
        this.blocks = new BlockSupply(duties, log);
        this.marks = new Marks(duties, log);
        this.seals = new Seals(duties, log, this);
        this.retention = new Retention(duties, log, this);
        this.checkpoints = new Checkpoints(duties, log, checkpointOffset);
        this.views = new IdleViews(duties, log, this);
        this.releases = new Releases(duties, log);
    }

    BlockSupply blocks() {
        return blocks;
    }

    Checkpoints checkpoints() {
        return checkpoints;
    }

    Releases releases() {
        return releases;
    }

    /** Called when a reader maps a segment. */
    IdleViews views() {
        return views;
    }

    // ---- what happens

    /** Called after recovery: some of what it found may be due now, or later by age. */
    void onRecovered() {
        blocks.call();
        seals.call();
        retention.call();
    }

    /**
     * Called by the writer after an append; not after each.
     *
     * @param isFillingUp whether the next block is wanted
     */
    void onAppended(boolean isFillingUp) {
        pulse.call();
        if (isFillingUp) {
            blocks.call();
        }
    }

    /** Called when something was appended or forced since the last call. */
    void onChange() {
        marks.call();
        retention.call();
        checkpoints.call();
    }

    /** Called when a segment was sealed. */
    void onSealed() {
        seals.call();
    }

    /** Called when sealed segments have their final form. */
    void onFinished() {
        retention.call();
        views.call();
    }

    /** Called when the log start was raised or the topic's options were changed. */
    void onNewLimits() {
        retention.call();
    }

    /** Releases a segment's view, and deletes the segment. */
    void retire(LogSegment segment, boolean delete) {
        View view = segment.detachView();
        if (delete) {
            Block block = segment.block; // a doomed segment's block is not exchanged any more
            releases.later(view, block.tier(), block::delete);
        } else if (view != null) {
            releases.later(view, null, Releases.Release.NOTHING);
        }
    }

    // ---- the end

    /** Persists the final state; everything has been forced. */
    void settle(long nowMs) {
        Background background = log.store().background();
        background.attempt(log, seals::finish);
        background.attempt(log, retention::deleteBelowStart);
        background.attempt(
                log,
                () -> {
                    marks.write(nowMs);
                    return 0;
                });
        dropReserved();
    }

    /** Gives back the reserved block; there are no more appends. */
    void dropReserved() {
        LogSegment block = blocks.withdraw();
        if (block != null) {
            block.takeHold().unpin();
            releases.later(null, block.block.tier(), block.block::delete);
        }
    }

    /**
     * Removes all segments, each as soon as nobody holds it, because the topic is deleted or the
     * store is closed. Stops at a segment whose copy is being published; call it again then.
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

    /** Frees what can be freed; returns whether no reader holds anything that was retired. */
    boolean isReleased() {
        releases.run();
        return releases.isStuck();
    }

    /** Frees what can be freed; returns whether everything that was retired is gone. */
    boolean isAllGone() {
        releases.run();
        return releases.isEmpty();
    }
}
