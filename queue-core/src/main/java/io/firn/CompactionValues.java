package io.firn;

import static io.firn.OptionValues.inRange;
import static io.firn.OptionValues.inRangeOrUnlimited;

/** The values of {@link TopicOptions} that say how a topic is compacted, checked. */
record CompactionValues(
        Cleanup cleanup,
        long minLagMs,
        long maxLagMs,
        double minDirtyRatio,
        long tombstoneRetentionMs) {

    static final CompactionValues DEFAULTS =
            new CompactionValues(Cleanup.DELETE, 0, TopicOptions.UNLIMITED, 0.5, 86_400_000);

    CompactionValues {
        inRange("minCompactionLagMs", minLagMs, 0, Long.MAX_VALUE);
        inRangeOrUnlimited("maxCompactionLagMs", maxLagMs, 1);
        inRange("tombstoneRetentionMs", tombstoneRetentionMs, 0, Long.MAX_VALUE);
        if (!(minDirtyRatio >= 0 && minDirtyRatio <= 1)) { // also not a number
            throw new InvalidOptionException(
                    "minDirtyRatio must be from 0 to 1, not " + minDirtyRatio);
        }
        if (maxLagMs != TopicOptions.UNLIMITED && minLagMs > maxLagMs) {
            throw new InvalidOptionException(
                    "minCompactionLagMs must be at most maxCompactionLagMs ("
                            + maxLagMs
                            + "), not "
                            + minLagMs);
        }
    }

    CompactionValues withCleanup(Cleanup value) {
        return new CompactionValues(value, minLagMs, maxLagMs, minDirtyRatio, tombstoneRetentionMs);
    }

    CompactionValues withLags(long least, long most) {
        return new CompactionValues(cleanup, least, most, minDirtyRatio, tombstoneRetentionMs);
    }

    CompactionValues withMinDirtyRatio(double value) {
        return new CompactionValues(cleanup, minLagMs, maxLagMs, value, tombstoneRetentionMs);
    }

    CompactionValues withTombstoneRetentionMs(long value) {
        return new CompactionValues(cleanup, minLagMs, maxLagMs, minDirtyRatio, value);
    }
}
