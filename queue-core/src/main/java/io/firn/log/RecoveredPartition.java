package io.firn.log;

import io.firn.DamagedRange;
import io.firn.metadata.Cuts;
import java.util.List;

/**
 * What recovery found and made durable.
 *
 * @param segments in order; only the last may be unsealed
 * @param active the unsealed one, or null
 * @param checkpointOffset the offset of the producer checkpoint; −1 if there is none
 * @param cuts what it was truncated to
 */
public record RecoveredPartition(
        List<LogSegment> segments,
        LogSegment active,
        long logStartOffset,
        long durableOffset,
        long nextOffset,
        Producers producers,
        long checkpointOffset,
        List<DamagedRange> damage,
        Cuts cuts) {

    public static RecoveredPartition empty() {
        return new RecoveredPartition(
                List.of(), null, 0, 0, 0, new Producers(), -1, List.of(), Cuts.NONE);
    }
}
