package io.firn.management.console;

import io.firn.StoreMetrics.TierMetrics;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The tiers, each with its segments: those that were written to last, if there are many. */
final class TierMap {
    private static final int MOST_SEGMENTS = 600;
    private static final Comparator<Block> NEWEST_FIRST =
            Comparator.comparingLong((Block each) -> each.sealMs() == null ? 0 : -each.sealMs())
                    .thenComparing(Block::topic)
                    .thenComparing(Block::partition)
                    .thenComparing(Block::base);

    private final Snapshots now;

    TierMap(Snapshots now) {
        this.now = now;
    }

    /**
     * A segment.
     *
     * @param sealMs null while it is written to
     * @param moving whether it is being moved to this tier, or not yet in its final form
     */
    record Block(
            String topic,
            int partition,
            long base,
            long end,
            int bytes,
            Long sealMs,
            boolean moving) {

        static Block of(PartitionPlace where, SegmentPlace segment) {
            return new Block(
                    where.topic(),
                    where.partition(),
                    segment.baseOffset(),
                    segment.endOffset(),
                    segment.bytes(),
                    segment.sealTime().map(time -> time.toEpochMilli()).orElse(null),
                    segment.sealTime().isPresent() && !segment.isMovable());
        }
    }

    /**
     * A tier.
     *
     * @param segmentCount how many there are, of which some are shown
     */
    record Tier(
            String label,
            String name,
            String survives,
            Long capacityBytes,
            long usedBytes,
            Long freeBytes,
            boolean inRotation,
            String drain,
            String lastError,
            long movedDownBytes,
            long movedUpBytes,
            long spilledSegments,
            int movesInFlight,
            int segmentCount,
            List<Block> segments) {

        static Tier of(TierMetrics tier, List<Block> all) {
            return new Tier(
                    tier.label(),
                    tier.name(),
                    tier.survives().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    tier.capacityBytes().isPresent() ? tier.capacityBytes().getAsLong() : null,
                    tier.usedBytes(),
                    tier.freeBytes().isPresent() ? tier.freeBytes().getAsLong() : null,
                    tier.isInRotation(),
                    tier.drain().name().toLowerCase(Locale.ROOT),
                    tier.lastError().orElse(null),
                    tier.movedDownBytes(),
                    tier.movedUpBytes(),
                    tier.spilledSegments(),
                    tier.movesInFlight(),
                    all.size(),
                    all.stream().sorted(NEWEST_FIRST).limit(MOST_SEGMENTS).toList());
        }
    }

    /** The answer. */
    record Answer(List<Tier> tiers) {}

    Answer answer(Query query) {
        Map<String, List<Block>> byTier = new HashMap<>();
        for (PartitionPlace partition : now.segments().partitions()) {
            if (Snapshots.isVisible(partition.topic()) && query.matches(partition.topic())) {
                for (SegmentPlace each : partition.segments()) {
                    byTier.computeIfAbsent(each.tier(), any -> new ArrayList<>())
                            .add(Block.of(partition, each));
                }
            }
        }
        return new Answer(
                now.metrics().tiers().stream()
                        .map(each -> Tier.of(each, byTier.getOrDefault(each.label(), List.of())))
                        .toList());
    }
}
