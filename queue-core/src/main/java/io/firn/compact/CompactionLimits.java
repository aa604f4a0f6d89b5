package io.firn.compact;

import io.firn.TopicOptions;

/**
 * What a topic's options say about its compaction.
 *
 * @param isOn whether the topic is compacted
 * @param minLagMs for how long a segment must have been sealed before it is compacted
 * @param maxLagMs after how long a record is compacted in any case; or {@link
 *     TopicOptions#UNLIMITED}
 * @param minDirtyRatio the part of the bytes that must be dirty before a compaction begins by
 *     itself
 * @param tombstoneMs for how long a tombstone stays after it was first compacted
 */
record CompactionLimits(
        boolean isOn, long minLagMs, long maxLagMs, double minDirtyRatio, long tombstoneMs) {

    /** Returns the time at which a record is compacted in any case that is older than a time. */
    long overdueMs(long oldestMs) {
        long due = oldestMs + maxLagMs;
        return maxLagMs == TopicOptions.UNLIMITED || due < oldestMs ? Long.MAX_VALUE : due;
    }

    /** Returns the time from which tombstones may go that are compacted first now. */
    long horizonMs(long nowMs) {
        long horizon = nowMs + tombstoneMs;
        return horizon < nowMs ? Long.MAX_VALUE : horizon;
    }
}
