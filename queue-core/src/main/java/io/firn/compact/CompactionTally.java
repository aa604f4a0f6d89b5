package io.firn.compact;

import io.firn.PartitionReader.CompactionResult;
import io.firn.log.LogSegment;
import java.util.ArrayList;
import java.util.List;

/** Counts what one compaction does. Not thread-safe. */
final class CompactionTally {
    private final SegmentLines skipped = new SegmentLines();
    private final SegmentLines full = new SegmentLines();
    private int segmentsAfter;
    private long bytesAfter;
    private long removedRecords;
    private long keylessRecords;

    private record Result(
            long compactedTo,
            long endOffset,
            long keys,
            int segmentsBefore,
            int segmentsAfter,
            long bytesBefore,
            long bytesAfter,
            long removedRecords,
            long keylessRecords,
            List<String> skipped,
            List<String> full)
            implements CompactionResult {}

    /** Counts a segment that is there afterwards. */
    void count(LogSegment segment) {
        segmentsAfter++;
        bytesAfter += segment.written();
    }

    /** Counts what a filter has removed, and the segment that it was applied to. */
    void count(LogSegment made, BatchFilter filter) {
        count(made);
        removedRecords += filter.removedRecords();
        keylessRecords += filter.keylessRecords();
        if (filter.tombstonesWithoutRoom() > 0) {
            full.add(
                    made.toString(),
                    "no room for the time from which "
                            + filter.tombstonesWithoutRoom()
                            + " tombstones may be removed");
        }
    }

    /** Notes why a segment was skipped. */
    void skip(LogSegment segment, String why) {
        skipped.add(segment.toString(), why);
    }

    /**
     * Returns the result.
     *
     * @param compactedTo the offset up to which the keys were known
     */
    CompactionResult result(DirtyRange range, long compactedTo, long keys) {
        return new Result(
                compactedTo,
                range.to(),
                keys,
                range.segments().size(),
                segmentsAfter,
                range.bytes(),
                bytesAfter,
                removedRecords,
                keylessRecords,
                skipped.lines(),
                full.lines());
    }

    /**
     * A line for each segment, for the first hundred by name: a partition may have so many that a
     * line for each would fill the memory.
     */
    static final class SegmentLines {
        private static final int MOST = 100;

        private final List<String> lines = new ArrayList<>();
        private int others;

        void add(String segment, String what) {
            if (lines.size() < MOST) {
                lines.add(segment + ": " + what);
            } else {
                others++;
            }
        }

        /** Returns a line for each, or for the first hundred and one for all others. */
        List<String> lines() {
            if (others == 0) {
                return List.copyOf(lines);
            }
            List<String> all = new ArrayList<>(lines);
            all.add("and " + others + " more segments");
            return List.copyOf(all);
        }
    }
}
