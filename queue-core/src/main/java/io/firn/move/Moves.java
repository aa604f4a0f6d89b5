package io.firn.move;

import io.firn.InvalidOptionException;
import io.firn.LogStore.MoveControl;
import io.firn.LogStore.MoveOutcome;
import io.firn.Survives;
import io.firn.block.DeferredDeleteDuty;
import io.firn.log.LogContext;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.log.TopicContext;
import io.firn.spi.Block;
import java.util.List;

/** Checks and makes the moves of segments that users of a store request. Thread-safe. */
public final class Moves {
    private final LogContext store;

    public Moves(LogContext store) {
        this.store = store;
    }

    /**
     * Moves a segment, on the caller's thread.
     *
     * @param releases those of the segment's partition
     * @param tier the label of the tier to move it to
     */
    public MoveOutcome move(
            SegmentedLog log,
            DeferredDeleteDuty releases,
            long baseOffset,
            String tier,
            MoveControl control) {
        TierState to = target(log.topic(), tier);
        boolean isOuter = store.beginMove();
        log.state().beginMove();
        try {
            if (log.state().areMovesPaused()) {
                return MoveOutcome.BUSY;
            }
            log.state().checkMovable();
            LogSegment segment = log.segmentFor(baseOffset);
            if (segment == null || segment.baseOffset() != baseOffset || segment.isDoomed()) {
                return MoveOutcome.GONE;
            }
            Block source = segment.block();
            if (!segment.isSealed() || !source.isFinished()) {
                return MoveOutcome.NOT_SEALED;
            }
            TierState from = store.stateOf(source.tier());
            if (from.index() == to.index()) {
                return MoveOutcome.ALREADY_THERE;
            }
            if (segment.written() > to.tier().maxSegmentBytes()) {
                throw new InvalidOptionException(
                        source.name()
                                + " with its "
                                + segment.written()
                                + " bytes does not fit the blocks of tier "
                                + to
                                + ", which hold "
                                + to.tier().maxSegmentBytes());
            }
            return new SegmentMove(log, releases, segment, from, to).run(control);
        } finally {
            log.state().endMove();
            if (isOuter) {
                store.endMove();
            }
        }
    }

    private TierState target(TopicContext topic, String tier) {
        TierState to = store.tier(tier);
        if (to.isDrained()) {
            throw new InvalidOptionException("tier " + to + " is drained: it gets no new segments");
        }
        if (!topic.tiers().contains(to)) {
            Survives offered = to.tier().survives();
            throw new InvalidOptionException(
                    "topic "
                            + topic.name()
                            + " may be in tiers "
                            + topic.tiers()
                            + ", which "
                            + topic.options().minimumClass()
                            + " and its choice of tiers allow, not in "
                            + to
                            + " with "
                            + offered);
        }
        return to;
    }

    /** Waits until all moves have given up; no new move begins. */
    public static void awaitEnd(List<SegmentedLog> logs) {
        boolean interrupted = false;
        for (SegmentedLog log : logs) {
            while (log.state().moves() > 0) {
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
