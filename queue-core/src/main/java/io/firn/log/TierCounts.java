package io.firn.log;

import io.firn.StoreMetrics;
import io.firn.Survives;
import java.util.OptionalLong;

/** The metrics of a tier. */
record TierCounts(
        String label,
        String name,
        Survives survives,
        OptionalLong capacityBytes,
        long usedBytes,
        int segments,
        long spilledSegments,
        long spilledBytes,
        long movedDownBytes,
        long movedUpBytes,
        int movesInFlight,
<<<<<<< HEAD
        boolean inRotation,
        StoreMetrics.Drain drain,
=======
        boolean isInRotation,
>>>>>>> e9370145 (Let snapshots and metrics grow: interfaces instead of records)
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
                + (capacityBytes.isPresent() ? capacityBytes.getAsLong() : "unlimited")
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
<<<<<<< HEAD
                + ", inRotation="
                + inRotation
                + ", drain="
                + drain
=======
                + ", isInRotation="
                + isInRotation
>>>>>>> e9370145 (Let snapshots and metrics grow: interfaces instead of records)
                + ", lastError="
                + lastError
                + ", uncollectedBytes="
                + uncollectedBytes
                + "]";
    }
}
