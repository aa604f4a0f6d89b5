package io.firn.log;

import io.firn.Finding.Kind;
import io.firn.PartitionReader.DamagedRange;
import io.firn.findings.FindingKey;
import io.firn.findings.Findings;
import io.firn.findings.Subject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import javax.annotation.concurrent.GuardedBy;

/** The damaged ranges of a partition that are known; each is a finding. Thread-safe. */
final class DamageList {
    private final Subject partition;
    private final Findings findings;

    @GuardedBy("this")
    private final List<DamagedRange> ranges = new ArrayList<>();

    DamageList(Subject partition, Findings findings) {
        this.partition = partition;
        this.findings = findings;
    }

    /**
     * Adds a range, unless it is known. Recovery and reads may find the same damage in different
     * ways, or only a part of it.
     */
    synchronized void add(DamagedRange range) {
        if (ranges.stream().anyMatch(known -> covers(known, range))) {
            return;
        }
        ranges.add(range);
        removeIf(known -> !known.equals(range) && covers(range, known));
        ranges.sort(Comparator.comparingLong(DamagedRange::fromOffset));
        findings.begin(
                keyOf(range),
                partition
                        + ": offsets "
                        + range.fromOffset()
                        + " to "
                        + (range.toOffset() - 1)
                        + " are damaged ("
                        + range.reason()
                        + "): readers get a DamagedRangeException there, and go on after it by a"
                        + " seek; restore them from a copy, or check the medium before more is"
                        + " lost");
    }

    private FindingKey keyOf(DamagedRange range) {
        return FindingKey.of(Kind.RECORDS_DAMAGED, partition, range.fromOffset(), range.toOffset());
    }

    /** Forgets what is at an offset and above it, because it was cut off. */
    synchronized void dropFrom(long offset) {
        removeIf(range -> range.fromOffset() >= offset);
    }

    /** Forgets what is wholly below an offset, because it was deleted. */
    synchronized void dropBelow(long offset) {
        removeIf(range -> range.toOffset() <= offset);
    }

    @GuardedBy("this")
    private void removeIf(Predicate<DamagedRange> isGone) {
        for (DamagedRange range : List.copyOf(ranges)) {
            if (isGone.test(range)) {
                ranges.remove(range);
                findings.end(keyOf(range));
            }
        }
    }

    private static boolean covers(DamagedRange outer, DamagedRange inner) {
        return outer.fromOffset() <= inner.fromOffset() && inner.toOffset() <= outer.toOffset();
    }

    /** In the order of their offsets. */
    synchronized List<DamagedRange> all() {
        return List.copyOf(ranges);
    }
}
