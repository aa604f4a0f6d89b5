package io.firn.log;

import java.time.Instant;
import java.util.Arrays;

/**
 * When the segments of a partition were sealed, in terms of the present clock. A clock that was
 * ahead and was set back has left times in marks that are still to come. Such a segment counts as
 * sealed when the next one was, which is sealed later; if that is to come as well, when it was seen
 * first since the store was opened. Otherwise retention and compaction would wait until the clock
 * is where it was.
 */
public final class SealTimes {
    private static final long OPEN = Long.MIN_VALUE;

    private final long[] timesMs;
    private int ahead;
    private boolean isLastAhead;
    private long latestMs = Long.MIN_VALUE;
    private LogSegment first;

    private SealTimes(int count) {
        this.timesMs = new long[count];
    }

    /**
     * Looks at the segments of a partition. Any thread.
     *
     * @param segments all of them, in order
     */
    public static SealTimes of(LogSegment[] segments, long nowMs) {
        SealTimes times = new SealTimes(segments.length);
        long nextMs = Long.MAX_VALUE;
        for (int i = segments.length - 1; i >= 0; i--) {
            LogSegment segment = segments[i];
            if (!segment.isSealed()) {
                times.timesMs[i] = OPEN;
                continue;
            }
            long ms = segment.block().mark().sealTimeMs();
            if (ms > nowMs) {
                times.addAhead(segment, ms);
                times.isLastAhead |= nextMs == Long.MAX_VALUE;
                ms = Math.min(nextMs, segment.firstSeenMs(nowMs));
            }
            times.timesMs[i] = ms;
            nextMs = ms;
        }
        return times;
    }

    private void addAhead(LogSegment segment, long markedMs) {
        ahead++;
        latestMs = Math.max(latestMs, markedMs);
        first = segment;
    }

    /** Returns whether a segment was sealed when this was made, by its place in the array. */
    public boolean isSealed(int index) {
        return timesMs[index] != OPEN;
    }

    /** Returns when a segment was sealed, by its place in the array; −1 if it is not. */
    public long ms(int index) {
        return Math.max(-1, timesMs[index]);
    }

    /** Returns the times of sealed segments, from one place up to another one. */
    public long[] range(int from, int to) {
        return Arrays.copyOfRange(timesMs, from, to);
    }

    /** Returns whether marks have times that are to come. */
    public boolean areAhead() {
        return ahead > 0;
    }

    /**
     * Returns whether the time of the segment that was sealed last is to come, too: the clock may
     * be behind for a while, as before it is synchronised.
     */
    public boolean mayClockBeBehind() {
        return isLastAhead;
    }

    /** Returns the latest of these times; only if they are ahead. */
    public long latestMs() {
        return latestMs;
    }

    /** Returns the text of the finding; only if they are ahead. */
    public String finding(SegmentedLog log) {
        return log
                + ": "
                + ahead
                + " segments from offset "
                + first.baseOffset()
                + " on were sealed at times that are still to come, up to "
                + Instant.ofEpochMilli(latestMs)
                + ": the clock was ahead, or is behind now. For retention and compaction each counts"
                + " as sealed when the next one was, or now; check the clock of the machine";
    }
}
