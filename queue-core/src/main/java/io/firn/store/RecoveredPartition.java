package io.firn.store;

import io.firn.DamagedRange;
import java.util.List;

/**
 * What recovery found and made durable.
 *
 * @param segments in order; only the last may be unsealed
 * @param active the unsealed one, or null
 */
record RecoveredPartition(
        List<LogSegment> segments,
        LogSegment active,
        long logStartOffset,
        long durableOffset,
        long nextOffset,
        Producers producers,
        List<DamagedRange> damage) {

    static RecoveredPartition empty() {
        return new RecoveredPartition(List.of(), null, 0, 0, 0, new Producers(), List.of());
    }
}
