package io.firn.log;

import io.firn.PartitionReader.DamagedRange;

/** A range that cannot be read. */
public record DamagedOffsets(long fromOffset, long toOffset, String reason)
        implements DamagedRange {

    @Override
    public String toString() {
        return "DamagedRange[" + fromOffset + " to " + toOffset + ": " + reason + "]";
    }
}
