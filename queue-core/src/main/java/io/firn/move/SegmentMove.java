package io.firn.move;

import io.firn.FirnException;
import io.firn.LogStore.MoveControl;
import io.firn.LogStore.MoveOutcome;
import io.firn.MediumException;
import io.firn.StoreFullException;
import io.firn.block.DeferredDeleteDuty;
import io.firn.log.LogSegment;
import io.firn.log.LogSegment.Lifecycle;
import io.firn.log.SegmentIndexes;
import io.firn.log.SegmentedLog;
import io.firn.log.SparseIndex;
import io.firn.log.TierState;
import io.firn.medium.GuardedLog;
import io.firn.move.CheckedCopy.Pace;
import io.firn.spi.Block;
import io.firn.spi.BlockCopy;
import io.firn.spi.View;
import java.io.IOException;
import java.util.Arrays;

/**
 * Moves a sealed segment to another tier, on the caller's thread and under no lock (O6). The order:
 *
 * <ol>
 *   <li>Copy to a place that recovery ignores. Corrupted bytes are copied unchanged.
 *   <li>Force, and only then compare, so that what is read back is what was forced.
 *   <li>MOVING becomes PUBLISHING, unless a deletion made it DOOMED first.
 *   <li>Publish, durably. After a crash from here on, recovery finds two copies, and drops the
 *       hotter one.
 *   <li>Switch the readers: the log's segment gets the new block.
 *   <li>Free the old block when no reader pins the old bytes any more; if they are pinned now, the
 *       background does it later. Until then the segment is not moved again.
 * </ol>
 *
 * Nothing waits for readers. After a failure the segment stays where it was.
 */
public final class SegmentMove {
    private static final GuardedLog LOG = GuardedLog.get();
    private final SegmentedLog log;
    private final DeferredDeleteDuty releases;
    private final LogSegment segment;
    private final TierState from;
    private final TierState to;
    private Pace pace;
    private boolean exchanged;

    /**
     * A move.
     *
     * @param from the tier that the segment is in
     */
    SegmentMove(
            SegmentedLog log,
            DeferredDeleteDuty releases,
            LogSegment segment,
            TierState from,
            TierState to) {
        this.log = log;
        this.releases = releases;
        this.segment = segment;
        this.from = from;
        this.to = to;
    }

    /** Makes the move; throws when a medium failed. */
    @SuppressWarnings("ReferenceEquality") // this very tier
    MoveOutcome run(MoveControl control) {
        pace = new Pace(control, this::isWanted);
        // Not while the block that it has left is read: it may be on its way back there.
        if (!segment.enter(Lifecycle.SEALED, Lifecycle.MOVING)) {
            return segment.isDoomed() ? MoveOutcome.GONE : MoveOutcome.BUSY;
        }
        from.onMoveBegins();
        to.onMoveBegins();
        try {
            Block source = segment.block(); // no other thread exchanges it now
            if (source.tier() != from.tier()) {
                return MoveOutcome.BUSY; // it was moved just now
            }
            segment.moveTo(to.index());
            return move(source);
        } finally {
            if (!exchanged) { // otherwise another move may have begun
                segment.giveUp();
            }
            from.onMoveEnds();
            to.onMoveEnds();
        }
    }

    private MoveOutcome move(Block source) {
        BlockCopy copy = begin(source);
        boolean published = false;
        try {
            if (!copyBytes(source, copy)) {
                return givenUp();
            }
            // Derived data, rebuilt from the batches when it is damaged.
            SparseIndex index = SegmentIndexes.of(segment);
            if (!isWanted() || !segment.enter(Lifecycle.MOVING, Lifecycle.PUBLISHING)) {
                return givenUp();
            }
            Block made = copy.publish(source.mark(), index.offsetBytes(), index.timeBytes());
            published = true;
            to.onSuccess();
            from.onMovedTo(to, segment.written());
            exchanged = true;
            View last = segment.exchange(made);
            log.publisher().segmentsChanged();
            releases.free(last, source.tier(), () -> leave(source));
            return MoveOutcome.MOVED;
        } catch (StoreFullException e) {
            to.noteError(e);
            throw e;
        } catch (IOException | InternalError e) {
            if (segment.isDoomed()) {
                return MoveOutcome.GONE; // deleted while it was being read
            }
            to.onFailure(e);
            throw failed(e);
        } finally {
            if (!published) {
                releases.free(null, to.tier(), copy::abandon);
            }
        }
    }

    private void leave(Block source) throws IOException {
        source.delete();
        segment.leave();
    }

    private BlockCopy begin(Block source) {
        try {
            return to.beginCopy(source.mark(), log.store().nextEpoch());
        } catch (StoreFullException e) {
            to.noteError(e);
            throw e;
        } catch (IOException | InternalError e) {
            to.onFailure(e);
            throw failed(e);
        }
    }

    /** Copies, forces and compares; false when the move is not wanted any more. */
    private boolean copyBytes(Block source, BlockCopy copy) throws IOException {
        CheckedCopy target =
                new CheckedCopy(copy, "the copy of " + source.name() + " in tier " + to);
        int total = segment.written();
        byte[] piece = new byte[Math.min(CheckedCopy.PIECE, Math.max(1, total))];
        for (int at = 0; at < total; at += piece.length) {
            int length = Math.min(piece.length, total - at);
            if (!pace.pause(at, total, length)) {
                return false;
            }
            read(source, at, piece, length);
            target.write(piece, 0, length);
        }
        return target.finish(pace);
    }

    private void read(Block source, int at, byte[] piece, int length) throws IOException {
        int read;
        try {
            read = source.read(at, piece, 0, length);
        } catch (IOException | InternalError e) {
            if (segment.isDoomed()) {
                throw e;
            }
            from.noteError(e);
            throw failed(e);
        }
        if (read < length) {
            // Missing bytes stay damaged: zeros are not a batch.
            Arrays.fill(piece, Math.max(read, 0), length, (byte) 0);
        }
    }

    private boolean isWanted() {
        return !segment.isDoomed() && log.state().mayMove();
    }

    private MoveOutcome givenUp() {
        return segment.isDoomed() ? MoveOutcome.GONE : MoveOutcome.CANCELLED;
    }

    private FirnException failed(Throwable e) {
        String what =
                log
                        + ": segment "
                        + segment
                        + " could not be moved from tier "
                        + from
                        + " to "
                        + to
                        + " and stays where it is: "
                        + e.getMessage();
        LOG.log(System.Logger.Level.DEBUG, what, e);
        return new MediumException(what, e);
    }
}
