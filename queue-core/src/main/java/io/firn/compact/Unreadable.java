package io.firn.compact;

import io.firn.log.LogSegment;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/** The segments of a partition in which a compaction found what it cannot read. Thread-safe. */
final class Unreadable {
    private final Map<LogSegment, String> reasons =
            Collections.synchronizedMap(new WeakHashMap<>());

    void add(LogSegment segment, String why) {
        reasons.put(segment, why);
    }

    boolean contains(LogSegment segment) {
        return reasons.containsKey(segment);
    }

    /** Returns why it cannot be read; null when it can. */
    String reason(LogSegment segment) {
        return reasons.get(segment);
    }
}
