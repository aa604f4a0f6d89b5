package io.firn.log;

import io.firn.PartitionReader.DamagedRange;
import java.util.List;

/**
 * What recovery found and made durable.
 *
 * @param index the partition's
 * @param segments in order; only the last may be unsealed
 * @param active the unsealed one, or null
 */
public record RecoveredPartition(
        int index,
        List<LogSegment> segments,
        LogSegment active,
        long logStartOffset,
        long durableOffset,
        long nextOffset,
        List<DamagedRange> damage) {

    /** A partition without records. */
    public static RecoveredPartition empty(int index) {
        return new RecoveredPartition(index, List.of(), null, 0, 0, 0, List.of());
    }
}
