package io.firn.log;

import io.firn.DamagedRange;
import java.util.List;

/**
 * What recovery found and made durable.
 *
 * @param segments in order; only the last may be unsealed
 * @param active the unsealed one, or null
 * @param checkpointOffset the offset of the producer checkpoint; −1 if there is none
 */
public record RecoveredPartition(
        List<LogSegment> segments,
        LogSegment active,
        long logStartOffset,
        long durableOffset,
        long nextOffset,
        Producers producers,
        long checkpointOffset,
        List<DamagedRange> damage) {

    public static RecoveredPartition empty() {
        return new RecoveredPartition(List.of(), null, 0, 0, 0, new Producers(), -1, List.of());
    }
}
