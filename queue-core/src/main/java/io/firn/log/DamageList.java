package io.firn.log;

import io.firn.Partition.DamagedRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.annotation.concurrent.GuardedBy;

/** The damaged ranges of a partition that are known. Thread-safe. */
final class DamageList {
    @GuardedBy("this")
    private final List<DamagedRange> ranges = new ArrayList<>();

    /**
     * Adds a range. Recovery and reads may find the same damage in different ways, or only a part
     * of it.
     *
     * @return false when it was known
     */
    synchronized boolean add(DamagedRange range) {
        if (ranges.stream().anyMatch(known -> covers(known, range))) {
            return false;
        }
        ranges.removeIf(known -> covers(range, known));
        ranges.add(range);
        ranges.sort(Comparator.comparingLong(DamagedRange::fromOffset));
        return true;
    }

    /** Forgets what is at an offset and above it, because it was cut off. */
    synchronized void dropFrom(long offset) {
        ranges.removeIf(range -> range.fromOffset() >= offset);
    }

    private static boolean covers(DamagedRange outer, DamagedRange inner) {
        return outer.fromOffset() <= inner.fromOffset() && inner.toOffset() <= outer.toOffset();
    }

    /** In the order of their offsets. */
    synchronized List<DamagedRange> all() {
        return List.copyOf(ranges);
    }
}
