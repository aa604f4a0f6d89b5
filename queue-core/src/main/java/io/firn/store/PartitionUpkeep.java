package io.firn.store;

import io.firn.spi.Segment;
import io.firn.spi.View;

/**
 * What the background does for a partition, so that the append path never does. Each job is a
 * {@link Duty} of its own that is called for when something happened, and fails, is tried again and
 * is reported by itself. All of them run on one thread.
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
     * Of a partition.
     *
     * @param checkpointOffset where its producer checkpoint stands; −1 for none
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

    /** Called for when a reader has a segment mapped. */
    IdleViews views() {
        return views;
    }

    // ---- what happens

    /** Recovery found something: whatever of it is due by now, or will be by age. */
    void onRecovered() {
        blocks.call();
        seals.call();
        retention.call();
    }

    /**
     * The writer says that it appended; not for each append.
     *
     * @param isFillingUp whether the next block is wanted
     */
    void onAppended(boolean isFillingUp) {
        pulse.call();
        if (isFillingUp) {
            blocks.call();
        }
    }

    /** Something was appended or forced since this was called last. */
    void onChange() {
        marks.call();
        retention.call();
        checkpoints.call();
    }

    /** A segment was sealed. */
    void onSealed() {
        seals.call();
    }

    /** Sealed segments are in their final form. */
    void onFinished() {
        retention.call();
        views.call();
    }

    /** The log start was raised, or the options of the topic were changed. */
    void onNewLimits() {
        retention.call();
    }

    /** Has a segment's view let go of, and the segment taken away. */
    void retire(LogSegment segment, boolean delete) {
        View view = segment.detachView();
        if (delete) {
            Segment block = segment.block; // doomed, it is not exchanged any more
            releases.later(view, block.tier(), block::delete);
        } else if (view != null) {
            releases.later(view, null, Releases.Release.NOTHING);
        }
    }

    // ---- the end

    /** Writes down where everything stands; everything was forced. */
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

    /** Gives back the block that was set aside; nobody appends any more. */
    void dropReserved() {
        LogSegment block = blocks.withdraw();
        if (block != null) {
            block.takeHold().unpin();
            releases.later(null, block.block.tier(), block.block::delete);
        }
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

    /** Frees what can be freed; whether nothing that was retired is held by a reader any more. */
    boolean isReleased() {
        releases.run();
        return releases.isStuck();
    }

    /** Frees what can be freed; whether everything that was retired is gone. */
    boolean isAllGone() {
        releases.run();
        return releases.isEmpty();
    }
}
