package io.firn.compact;

import io.firn.CompactionResult;
import java.util.List;

/** The counts of one compaction. */
record CompactionCounts(
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
        implements CompactionResult {

    CompactionCounts {
        skipped = List.copyOf(skipped);
        full = List.copyOf(full);
    }
}
