package io.firn.migrator;

import io.firn.StoreSnapshot;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.StoreSnapshot.TierPlace;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Snapshots without a store, as a test of a user's policy makes them. */
final class Snapshots {
    private Snapshots() {}

    record Snapshot(Instant time, List<TierPlace> tiers, List<PartitionPlace> partitions)
            implements StoreSnapshot {}

    record Tier(
            String label,
            OptionalLong capacityBytes,
            long usedBytes,
            long blockBytes,
            int maxSegmentBytes)
            implements TierPlace {}

    record Part(
            String topic,
            int partition,
            long logStartOffset,
            long visibleOffset,
            List<String> tiers,
            Map<String, Long> cursors,
            List<SegmentPlace> segments)
            implements PartitionPlace {}

    record Segment(
            long baseOffset,
            long endOffset,
            int bytes,
            long usedBytes,
            String tier,
            Optional<Instant> sealTime,
            boolean isMovable)
            implements SegmentPlace {
        Segment(long base, long end, int bytes, String tier, long sealTimeMs, boolean isMovable) {
            this(
                    base,
                    end,
                    bytes,
                    bytes,
                    tier,
                    Optional.of(Instant.ofEpochMilli(sealTimeMs)),
                    isMovable);
        }
    }
}
