package io.firn.store;

import io.firn.StoreSnapshot;
import io.firn.UnknownTopicException;
import io.firn.log.LogContext;
import io.firn.log.LogSegment;
import io.firn.log.SealTimes;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.spi.Block;
import io.firn.spi.StorageTier;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

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

    private record Snapshot(
            Instant time,
            List<StoreSnapshot.TierPlace> tiers,
            List<StoreSnapshot.PartitionPlace> partitions)
            implements StoreSnapshot {}

    private record TierPlace(
            String label,
            OptionalLong capacityBytes,
            long usedBytes,
            long blockBytes,
            int maxSegmentBytes)
            implements StoreSnapshot.TierPlace {}

    private record PartitionPlace(
            String topic,
            int partition,
            long logStartOffset,
            long visibleOffset,
            List<String> tiers,
            Map<String, Long> cursors,
            List<StoreSnapshot.SegmentPlace> segments)
            implements StoreSnapshot.PartitionPlace {}

    private record SegmentPlace(
            long baseOffset,
            long endOffset,
            int bytes,
            long usedBytes,
            String tier,
            Optional<Instant> sealTime,
            boolean isMovable)
            implements StoreSnapshot.SegmentPlace {}

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
        List<StoreSnapshot.PartitionPlace> partitions = new ArrayList<>();
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
        List<StoreSnapshot.TierPlace> tiers = new ArrayList<>();
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
        Instant time = Instant.ofEpochMilli(store.clock().time());
        return new Snapshot(time, List.copyOf(tiers), List.copyOf(partitions));
    }

    private static Map<String, Long> cursors(TopicLog topic, int partition) {
        try {
            return Map.copyOf(topic.cursors().offsets(partition));
        } catch (UnknownTopicException e) {
            return Map.of(); // deleted just now
        }
    }

    private List<StoreSnapshot.SegmentPlace> places(SegmentedLog log, long[] leaving) {
        List<StoreSnapshot.SegmentPlace> places = new ArrayList<>();
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
                            sealTime(sealed.ms(i)),
                            target < 0
                                    && segment.isSealed()
                                    && block.isFinished()
                                    && !segment.isDoomed()));
        }
        return List.copyOf(places);
    }

    private static Optional<Instant> sealTime(long ms) {
        return ms < 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(ms));
    }
}
