package io.firn.follow;

import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a look at the tiers has not found although it may be there: the writer moves, renames and
 * deletes segments meanwhile. A segment that was shown stays, and what is above a gap is held back,
 * for some looks. For one thread at a time.
 */
public final class MissingSegments {
    /** The number of looks after which a segment is missing, and a gap is shown. */
    public static final int LOOKS = 20;

    private final Map<LogSegment, Integer> missed = new IdentityHashMap<>();
    private final Map<SegmentedLog, Integer> gaps = new HashMap<>();

    /** Forgets a log whose topic is gone. */
    void forget(SegmentedLog log) {
        gaps.remove(log);
        forgetSegments(log);
    }

    void forgetSegments(SegmentedLog log) {
        for (LogSegment segment : log.segments()) {
            missed.remove(segment);
        }
    }

    /** Returns whether the last look did not find a segment that was shown before. */
    boolean has(LogSegment segment) {
        return missed.containsKey(segment);
    }

    /** Returns whether a gap holds something back that the next looks may show. */
    public boolean isAtGap() {
        // Asked at each look; mostly there are none.
        return !gaps.isEmpty() && gaps.values().stream().anyMatch(looks -> looks < LOOKS);
    }

    /** Returns whether {@link #isAnyIn} is true of some log. */
    public boolean isAny() {
        return !missed.isEmpty() || isAtGap();
    }

    /** Returns whether a log has such a gap, or a segment may be missing in it. */
    public boolean isAnyIn(SegmentedLog log) {
        return gaps.getOrDefault(log, LOOKS) < LOOKS
                || (!missed.isEmpty() && Arrays.stream(log.segments()).anyMatch(this::has));
    }

    /**
     * A look during a rename may find neither name, so a segment that was there at the last look
     * and was not deleted counts as missing only when it is not found for a while.
     */
    void keep(SegmentedLog log, List<LogSegment> all, long start) {
        List<LogSegment> found = List.copyOf(all);
        for (LogSegment before : log.segments()) {
            int at = Collections.binarySearch(found, before, FollowedSegments.BY_BASE);
            boolean isRolled = at < 0 && !before.isSealed() && -at - 1 < found.size();
            long end = isRolled ? knownEnd(before) : before.endOffset();
            boolean isMissing = at < 0 && end > start && !isReplaced(before, found, -at - 2);
            if (isMissing && missed.merge(before, 1, Integer::sum) < LOOKS) {
                all.add(before);
            } else {
                missed.remove(before);
            }
        }
        all.sort(FollowedSegments.BY_BASE);
    }

    /**
     * The offset up to which a segment is known that is not sealed yet. It may be raised at any
     * time, by a reader that sees its published end: it is not where the segment ends.
     */
    private static long knownEnd(LogSegment segment) {
        return segment.offsetOf(segment.end());
    }

    /** Whether compaction has put a segment in its place, which begins before it. */
    private static boolean isReplaced(LogSegment before, List<LogSegment> found, int at) {
        if (at < 0 || !found.get(at).isSealed()) {
            return false;
        }
        LogSegment other = found.get(at);
        // It may have been sealed and compacted since the last look.
        long end = before.isSealed() ? before.endOffset() : knownEnd(before);
        return other.endOffset() >= end
                && other.block().mark().generation() > before.block().mark().generation();
    }

    /**
     * A gap may also be an effect of the look itself: it is shown when it is still there after a
     * while. At the front, the first segment may have been missed, or the start of the log may have
     * been read while it was written again.
     */
    void stopAtGap(SegmentedLog log, List<LogSegment> all, long start) {
        boolean isAtFront = !all.isEmpty() && all.get(0).baseOffset() > start;
        if (isAtFront && log.nextOffset() <= start) {
            if (gaps.merge(log, 1, Integer::sum) < LOOKS) {
                all.clear();
            }
            return;
        }
        long next = log.nextOffset(); // before the ends that it may be raised to
        for (int i = 0; i < all.size() - 1; i++) {
            LogSegment segment = all.get(i);
            boolean isMissed = !segment.isSealed() && missed.containsKey(segment);
            long end = isMissed ? knownEnd(segment) : segment.endOffset();
            if (end < all.get(i + 1).baseOffset()) {
                int looks = gaps.merge(log, 1, Integer::sum);
                if (looks < LOOKS && end >= next) {
                    all.subList(i + 1, all.size()).clear();
                }
                return;
            }
        }
        gaps.remove(log);
    }
}
