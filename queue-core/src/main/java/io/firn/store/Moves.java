package io.firn.store;

import io.firn.DurabilityClass;
import io.firn.InvalidOptionException;
import io.firn.MoveControl;
import io.firn.MoveOutcome;
import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.StoreSnapshot.TierPlace;
import io.firn.UnknownTopicException;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.StorageTier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Shows which segment is in which tier, and moves segments between tiers, for users of the store.
 */
final class Moves {
    private final Store store;

    Moves(Store store) {
        this.store = store;
    }

    MoveOutcome move(
            TopicLog topic, int partition, long baseOffset, int tier, MoveControl control) {
        PartitionLog log = topic.log(partition);
        TierState to = target(topic, tier);
        log.beginMove();
        try {
            log.state().checkMovable();
            LogSegment segment = log.segmentFor(baseOffset);
            if (segment == null || segment.baseOffset != baseOffset || segment.isDoomed()) {
                return MoveOutcome.GONE;
            }
            Block source = segment.block;
            if (!segment.sealed || !source.isFinished()) {
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
            return new SegmentMove(log, segment, from, to, control).run();
        } finally {
            log.endMove();
        }
    }

    private TierState target(TopicLog topic, int tier) {
        List<TierState> all = store.tiers();
        if (tier < 0 || tier >= all.size()) {
            throw new InvalidOptionException(
                    "the store has tiers 0 to " + (all.size() - 1) + ", not " + tier);
        }
        TierState to = all.get(tier);
        if (!topic.tiers().contains(to)) {
            DurabilityClass offered = to.tier().durabilityClass();
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

    /** Segments with records, by tier. */
    int[] countSegments() {
        int[] counts = new int[store.tiers().size()];
        for (TopicLog topic : store.topics()) {
            for (PartitionLog log : topic.logs()) {
                for (LogSegment segment : log.segments()) {
                    counts[store.stateOf(segment.block.tier()).index()]++;
                }
            }
        }
        return counts;
    }

    StoreSnapshot snapshot() {
        long[] leaving = new long[store.tiers().size()];
        List<PartitionPlace> partitions = new ArrayList<>();
        for (TopicLog topic : store.topics()) {
            List<Integer> allowed =
                    topic.tiers().stream()
                            .filter(TierState::isInRotation)
                            .map(TierState::index)
                            .toList();
            for (PartitionLog log : topic.logs()) {
                partitions.add(
                        new PartitionPlace(
                                topic.name(),
                                log.index(),
                                log.logStartOffset(),
                                log.visibleOffset(),
                                allowed,
                                cursors(topic, log),
                                places(log, leaving)));
            }
        }
        List<TierPlace> tiers = new ArrayList<>();
        for (TierState state : store.tiers()) {
            StorageTier tier = state.tier();
            tiers.add(
                    new TierPlace(
                            state.label(),
                            tier.capacityBytes(),
                            Math.max(0, tier.usedBytes() - leaving[state.index()]),
                            tier.blockBytes(),
                            tier.maxSegmentBytes()));
        }
        return new StoreSnapshot(store.clock().time(), tiers, partitions);
    }

    private static Map<String, Long> cursors(TopicLog topic, PartitionLog log) {
        try {
            return topic.cursorOffsets(log.index());
        } catch (UnknownTopicException e) {
            return Map.of(); // deleted just now
        }
    }

    private List<SegmentPlace> places(PartitionLog log, long[] leaving) {
        List<SegmentPlace> places = new ArrayList<>();
        for (LogSegment segment : log.segments()) {
            int target = segment.movingTo;
            Block block = segment.block;
            int lies = store.stateOf(block.tier()).index();
            Mark mark = block.mark();
            long used = block.usedBytes();
            if (target >= 0 && target != lies) {
                leaving[lies] += used;
            }
            places.add(
                    new SegmentPlace(
                            segment.baseOffset,
                            segment.offsetOf(segment.end()),
                            segment.written(),
                            used,
                            target >= 0 ? target : lies,
                            mark.sealTimeMs(),
                            target < 0
                                    && segment.sealed
                                    && block.isFinished()
                                    && !segment.isDoomed()));
        }
        return places;
    }

    /** Waits until all moves have given up; no new move begins. */
    static void awaitEnd(List<PartitionLog> logs) {
        boolean interrupted = false;
        for (PartitionLog log : logs) {
            while (log.moves() > 0) {
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
