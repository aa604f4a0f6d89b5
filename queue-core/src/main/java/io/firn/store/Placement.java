package io.firn.store;

import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.StoreSnapshot.TierPlace;
import io.firn.UnknownTopicException;
import io.firn.log.LogContext;
import io.firn.log.LogSegment;
import io.firn.log.SealTimes;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.spi.Block;
import io.firn.spi.StorageTier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Shows which segment is in which tier. Thread-safe. */
final class Placement {
    private final LogContext store;
    private final Collection<TopicLog> topics;

    /**
     * Creates a view.
     *
     * @param topics the topics of the store at any time
     */
    Placement(LogContext store, Collection<TopicLog> topics) {
        this.store = store;
        this.topics = topics;
    }

    /** Segments with records, by tier. */
    int[] countSegments() {
        int[] counts = new int[store.tiers().size()];
        for (TopicLog topic : topics) {
            for (PartitionLog partition : topic.logs()) {
                for (LogSegment segment : partition.log().segments()) {
                    counts[store.stateOf(segment.block().tier()).index()]++;
                }
            }
        }
        return counts;
    }

    StoreSnapshot snapshot() {
        long[] leaving = new long[store.tiers().size()];
        List<PartitionPlace> partitions = new ArrayList<>();
        for (TopicLog topic : topics) {
            List<String> allowed =
                    topic.context().tiers().stream()
                            .filter(TierState::isInRotation)
                            .map(TierState::label)
                            .toList();
            for (PartitionLog partition : topic.logs()) {
                partitions.add(
                        new PartitionPlace(
                                topic.name(),
                                partition.index(),
                                partition.logStartOffset(),
                                partition.visibleOffset(),
                                allowed,
                                cursors(topic, partition.index()),
                                places(partition.log(), leaving)));
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

    private static Map<String, Long> cursors(TopicLog topic, int partition) {
        try {
            return topic.cursors().offsets(partition);
        } catch (UnknownTopicException e) {
            return Map.of(); // deleted just now
        }
    }

    private List<SegmentPlace> places(SegmentedLog log, long[] leaving) {
        List<SegmentPlace> places = new ArrayList<>();
        LogSegment[] all = log.segments();
        SealTimes sealed = SealTimes.of(all, store.timeMs());
        for (int i = 0; i < all.length; i++) {
            LogSegment segment = all[i];
            int target = segment.movingTo();
            Block block = segment.block();
            int lies = store.stateOf(block.tier()).index();
            long used = block.usedBytes();
            if (target >= 0 && target != lies) {
                leaving[lies] += used;
            }
            places.add(
                    new SegmentPlace(
                            segment.baseOffset(),
                            segment.offsetOf(segment.end()),
                            segment.written(),
                            used,
                            store.tiers().get(target >= 0 ? target : lies).label(),
                            sealed.ms(i),
                            target < 0
                                    && segment.isSealed()
                                    && block.isFinished()
                                    && !segment.isDoomed()));
        }
        return places;
    }
}
