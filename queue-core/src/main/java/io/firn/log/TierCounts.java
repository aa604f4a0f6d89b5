package io.firn.log;

import io.firn.StoreMetrics;
import io.firn.Survives;
import java.util.Optional;
import java.util.OptionalLong;

/** The metrics of a tier. */
record TierCounts(
        String label,
        String name,
        Survives survives,
        OptionalLong capacityBytes,
        long usedBytes,
        OptionalLong freeBytes,
        int segments,
        long spilledSegments,
        long spilledBytes,
        long movedDownBytes,
        long movedUpBytes,
        int movesInFlight,
        boolean isInRotation,
        StoreMetrics.Drain drain,
        Optional<String> lastError,
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
                + ", freeBytes="
                + (freeBytes.isPresent() ? freeBytes.getAsLong() : "unknown")
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
                + ", isInRotation="
                + isInRotation
                + ", drain="
                + drain
                + ", lastError="
                + lastError.orElse("none")
                + ", uncollectedBytes="
                + uncollectedBytes
                + "]";
    }
}
