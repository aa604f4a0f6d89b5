package io.firn.store;

import io.firn.CompactionMetrics;
import io.firn.PartitionMetrics;

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
        long rolls,
        long stalls,
        long unreadDeleted,
        long undecided,
        boolean poisoned,
        CompactionMetrics compaction)
        implements PartitionMetrics {}
