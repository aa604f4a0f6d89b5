package io.firn.compact;

import io.firn.MissingCodecException;
import io.firn.log.LogSegment;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The segments of a partition that its compactions leave as they are, and why. Thread-safe.
 *
 * <ul>
 *   <li>One with damage, until the store is opened again.
 *   <li>One with a batch for which there is no codec, until then, too: no JVM loads it later.
 *   <li>One whose medium failed, until it is tried again.
 *   <li>One that was skipped, while there are more keys than the memory has room for: if the dirty
 *       part began there each time, the compaction would never get further.
 * </ul>
 *
 * <p>Of the first three the keys may be unknown: <em>unread</em>. A segment below one that is
 * unread may have records that it supersedes, so its mark must not say that it was compacted
 * beyond. What it was compacted around is only remembered here, so that the work is not done again
 * and again; it is done again when the unread segment can be read.
 */
final class SkippedSegments {
    static final long NEVER = Long.MAX_VALUE;

    private final Map<LogSegment, Entry> entries = new WeakHashMap<>();

    /** Up to where the keys are known in a segment, but for those that are unread. */
    private final Map<LogSegment, Long> around = new WeakHashMap<>();

    /** When those are tried again that are added for a while. */
    private long retryMs = NEVER;

    private record Entry(
            String why, boolean isBroken, boolean isUnread, long untilMs, boolean lacksCodec) {}

    /** Sets when those are tried again that are added for a while from now on. */
    synchronized void retryAt(long timeMs) {
        retryMs = timeMs;
    }

    /** Adds a segment whose keys were known when those below it were compacted. */
    synchronized void addUnreadable(RewriteSource.UnreadableException found) {
        Entry entry = broken(found.getMessage(), false, NEVER, found.getCause());
        entries.putIfAbsent(found.segment(), entry);
    }

    /**
     * Adds a segment of which not all keys could be read.
     *
     * @param cause null when it is damaged
     */
    synchronized void addUnread(LogSegment segment, String why, Exception cause) {
        entries.put(segment, broken(why, true, NEVER, cause));
    }

    /** Adds a segment of which not all keys could be read, because its medium failed. */
    synchronized void addResting(LogSegment segment, String why) {
        entries.put(segment, broken(why, true, retryMs, null));
    }

    private static Entry broken(String why, boolean isUnread, long untilMs, Throwable cause) {
        return new Entry(why, true, isUnread, untilMs, cause instanceof MissingCodecException);
    }

    /** Adds a segment that can be read, but was skipped. */
    synchronized void addSkipped(LogSegment segment, String why) {
        entries.putIfAbsent(segment, new Entry(why, false, false, retryMs, false));
    }

    /** Forgets those that are to be tried again now. */
    synchronized void expire(long nowMs) {
        boolean isKnown = true;
        for (Map.Entry<LogSegment, Entry> each : new HashMap<>(entries).entrySet()) {
            if (each.getValue().untilMs <= nowMs) {
                isKnown &= !each.getValue().isUnread;
                entries.remove(each.getKey());
            }
        }
        if (!isKnown) {
            around.clear();
        }
    }

    /** Returns when the next one is to be tried again; {@link Long#MAX_VALUE} for never. */
    synchronized long nextMs() {
        return entries.values().stream().mapToLong(Entry::untilMs).min().orElse(NEVER);
    }

    synchronized boolean contains(LogSegment segment) {
        return entries.containsKey(segment);
    }

    /** Returns whether it has damage: no compaction will ever change it. */
    synchronized boolean isDamaged(LogSegment segment) {
        Entry entry = entries.get(segment);
        return entry != null && entry.isBroken && entry.untilMs == NEVER && !entry.lacksCodec;
    }

    /** Returns whether it has damage or could not be read; then the tombstones above it stay. */
    synchronized boolean isBroken(LogSegment segment) {
        Entry entry = entries.get(segment);
        return entry != null && entry.isBroken;
    }

    /** Returns whether its medium failed, and it is not tried again yet. */
    synchronized boolean isResting(LogSegment segment) {
        Entry entry = entries.get(segment);
        return entry != null && entry.isUnread && entry.untilMs < NEVER;
    }

    /** Returns why it is skipped; null when it is not. */
    synchronized String reason(LogSegment segment) {
        Entry entry = entries.get(segment);
        return entry == null ? null : entry.why;
    }

    /**
     * Returns the offset from which on keys are unread above a segment; {@link Long#MAX_VALUE} when
     * none are.
     */
    synchronized long unreadAbove(LogSegment segment) {
        long least = NEVER;
        for (Map.Entry<LogSegment, Entry> each : entries.entrySet()) {
            long base = each.getKey().baseOffset();
            if (each.getValue().isUnread && base >= segment.endOffset()) {
                least = Math.min(least, base);
            }
        }
        return least;
    }

    /** Notes that a segment was compacted beyond what its mark says, around what is unread. */
    synchronized void noteAround(LogSegment segment, long compactedTo) {
        around.put(segment, compactedTo);
    }

    /** Returns the offset from which on a segment has to be compacted. */
    synchronized long compactedTo(LogSegment segment) {
        long marked = DirtyRange.compactedTo(segment);
        boolean isAround = around.containsKey(segment) && unreadAbove(segment) < NEVER;
        return isAround ? Math.max(marked, around.get(segment)) : marked;
    }
}
