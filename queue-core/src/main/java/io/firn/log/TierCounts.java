package io.firn.log;

import io.firn.StoreMetrics;
import io.firn.Survives;

/** The metrics of a tier. */
record TierCounts(
        String label,
        String name,
        Survives survives,
        long capacityBytes,
        long usedBytes,
        int segments,
        long spilledSegments,
        long spilledBytes,
        long movedDownBytes,
        long movedUpBytes,
        int movesInFlight,
        boolean inRotation,
        StoreMetrics.Drain drain,
        String lastError,
        long uncollectedBytes)
        implements StoreMetrics.TierMetrics {

    @Override
    public String toString() {
        return "TierMetrics["
                + "label="
                + label
                + ", name="
                + name
                + ", survives="
                + survives
                + ", capacityBytes="
                + (capacityBytes == Long.MAX_VALUE ? "unlimited" : capacityBytes)
                + ", usedBytes="
                + usedBytes
                + ", segments="
                + segments
                + ", spilledSegments="
                + spilledSegments
                + ", spilledBytes="
                + spilledBytes
                + ", movedDownBytes="
                + movedDownBytes
                + ", movedUpBytes="
                + movedUpBytes
                + ", movesInFlight="
                + movesInFlight
                + ", inRotation="
                + inRotation
                + ", drain="
                + drain
                + ", lastError="
                + lastError
                + ", uncollectedBytes="
                + uncollectedBytes
                + "]";
    }
}
