package io.firn.compact;

import io.firn.log.LogSegment;
import io.firn.log.SealTimes;
import io.firn.log.SegmentedLog;
import io.firn.spi.Mark;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The segments of a partition that may be compacted now, and how much of them was not compacted
 * yet. They are the sealed ones from the first on, up to one that is too young, and below the
 * durable and the visible end.
 *
 * @param segments in order
 * @param from the offset where the dirty range begins: up to there the last compactions of all
 *     segments that are not skipped knew all keys
 * @param to the end of the last segment
 * @param bytes the bytes of all segments
 * @param dirtyBytes the bytes of those with offsets from {@code from} on
 * @param oldestMs the time before which no dirty record was appended; {@link Long#MAX_VALUE} when
 *     there is none
 * @param nextMs the time at which the next segment is old enough; {@link Long#MAX_VALUE} when there
 *     is none
 */
record DirtyRange(
        List<LogSegment> segments,
        long from,
        long to,
        long bytes,
        long dirtyBytes,
        long oldestMs,
        long nextMs) {
    private static final long NEVER = Long.MAX_VALUE;

    /**
     * Looks at a partition.
     *
     * @param minLagMs for how long a segment must have been sealed
     * @param skipped the segments that stay as they are, however much of them is dirty
     */
    static DirtyRange of(SegmentedLog log, long minLagMs, long nowMs, SkippedSegments skipped) {
        return of(log, minLagMs, nowMs, skipped, skipped::contains);
    }

    /** As {@link #of}, but only what is damaged stays as it is: the rest is dirty all the same. */
    static DirtyRange withSkipped(
            SegmentedLog log, long minLagMs, long nowMs, SkippedSegments skipped) {
        return of(log, minLagMs, nowMs, skipped, skipped::isDamaged);
    }

    private static DirtyRange of(
            SegmentedLog log,
            long minLagMs,
            long nowMs,
            SkippedSegments skipped,
            Predicate<LogSegment> staysAsItIs) {
        List<LogSegment> segments = new ArrayList<>();
        long end = Math.min(log.durableOffset(), log.visibleOffset());
        long from = NEVER;
        long to = log.logStartOffset();
        long nextMs = NEVER;
        LogSegment[] all = log.segments();
        SealTimes sealed = SealTimes.of(all, nowMs);
        int first = 0;
        for (int i = 0; i < all.length; i++) {
            LogSegment segment = all[i];
            if (!sealed.isSealed(i) || !segment.block().isFinished() || segment.endOffset() > end) {
                break;
            }
            if (segment.endOffset() <= log.logStartOffset()) {
                continue; // it is about to be deleted
            }
            long sealTimeMs = sealed.ms(i);
            if (minLagMs > 0 && nowMs - sealTimeMs < minLagMs) {
                nextMs = sealTimeMs > NEVER - minLagMs ? NEVER : sealTimeMs + minLagMs;
                break;
            }
            first = segments.isEmpty() ? i : first;
            segments.add(segment);
            to = segment.endOffset();
            if (!staysAsItIs.test(segment)) {
                from = Math.min(from, skipped.compactedTo(segment));
            }
        }
        long[] sealTimesMs = sealed.range(first, first + segments.size()); // they are in a row
        return count(List.copyOf(segments), sealTimesMs, Math.min(from, to), to, nextMs);
    }

    private static DirtyRange count(
            List<LogSegment> segments, long[] sealTimesMs, long from, long to, long nextMs) {
        long bytes = 0;
        long dirtyBytes = 0;
        long oldestMs = NEVER;
        long beforeMs = NEVER; // a segment was begun after the one before it was sealed
        for (int i = 0; i < sealTimesMs.length; i++) {
            LogSegment segment = segments.get(i);
            bytes += segment.written();
            long sealTimeMs = sealTimesMs[i];
            if (segment.endOffset() > from) {
                dirtyBytes += segment.written();
                oldestMs = Math.min(oldestMs, Math.min(beforeMs, sealTimeMs));
            }
            beforeMs = sealTimeMs;
        }
        return new DirtyRange(segments, from, to, bytes, dirtyBytes, oldestMs, nextMs);
    }

    /** Returns the offset up to which the last compaction of a segment knew all keys. */
    static long compactedTo(LogSegment segment) {
        Mark mark = segment.block().mark();
        return Math.max(segment.baseOffset(), mark.compactedTo());
    }

    /** Returns the part of the bytes that was not compacted yet; 0 when there is nothing. */
    double dirtyRatio() {
        return bytes == 0 ? 0 : (double) dirtyBytes / bytes;
    }
}
