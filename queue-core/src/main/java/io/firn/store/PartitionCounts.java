package io.firn.store;

import io.firn.PartitionReader.CompactionMetrics;
import io.firn.PartitionReader.PartitionMetrics;
import java.util.Optional;

/** The metrics of a partition. */
record PartitionCounts(
        String topic,
        int partition,
        long logStartOffset,
        long durableOffset,
        long nextOffset,
        int segments,
        long bytes,
        long forces,
        long forcedBytes,
        long rolls,
        long stalls,
        long backlogBytes,
        long unreadDeleted,
        long undecided,
        boolean isPoisoned,
        Optional<CompactionMetrics> compaction)
        implements PartitionMetrics {

    @Override
    public String toString() {
        return "PartitionMetrics["
                + "topic="
                + topic
                + ", partition="
                + partition
                + ", logStartOffset="
                + logStartOffset
                + ", durableOffset="
                + durableOffset
                + ", nextOffset="
                + nextOffset
                + ", segments="
                + segments
                + ", bytes="
                + bytes
                + ", forces="
                + forces
                + ", forcedBytes="
                + forcedBytes
                + ", rolls="
                + rolls
                + ", stalls="
                + stalls
                + ", backlogBytes="
                + backlogBytes
                + ", unreadDeleted="
                + unreadDeleted
                + ", undecided="
                + undecided
                + ", isPoisoned="
                + isPoisoned
                + ", compaction="
                + compaction.map(Object::toString).orElse("none")
                + "]";
    }
}
