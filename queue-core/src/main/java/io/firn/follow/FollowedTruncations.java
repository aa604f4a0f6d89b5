package io.firn.follow;

import io.firn.follow.FollowedOffsets.Published;
import io.firn.log.SegmentedLog;
import io.firn.replica.TruncationFiles;
import io.firn.replica.TruncationHistory;
import io.firn.spi.Block;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds out, in a read-only store, that the writing process has truncated a replicated log, and
 * tells the readers of this process. For one thread at a time.
 *
 * <p>The writing process records a truncation before anything of it can be seen, and that it is
 * over before it appends anything (O29). So what was found of a log is of one time if the record
 * was the same before and after the look, and no truncation was in progress. Anything else is not
 * shown, and the next look decides.
 */
public final class FollowedTruncations {
    private final FollowedSegments segments;

    /** What was recorded when the segments of a replicated log were shown last. */
    private final Map<SegmentedLog, TruncationHistory> shown = new HashMap<>();

    public FollowedTruncations(FollowedSegments segments) {
        this.segments = segments;
    }

    /** Returns what is recorded now; called before the blocks of a log are listed. */
    public static TruncationHistory of(SegmentedLog log) throws IOException {
        return log.topic().isReplicated()
                ? new TruncationFiles(log.topic().directory()).read(log.index())
                : TruncationHistory.NONE;
    }

    /** Forgets a log whose topic is gone. */
    public void forget(SegmentedLog log) {
        shown.remove(log);
    }

    /**
     * Returns whether a log was not truncated since its segments were shown; called after something
     * else of it was found.
     */
    public boolean isAsShown(SegmentedLog log) throws IOException {
        if (!log.topic().isReplicated()) {
            return true;
        }
        TruncationHistory now = of(log);
        return !now.isInProgress() && now.equals(shown.get(log));
    }

    /**
     * As {@link FollowedSegments#refresh(SegmentedLog, List, FollowedLog, Published)}, unless the
     * log was truncated meanwhile.
     *
     * @param before what was recorded before the blocks were listed; null if that is not known
     */
    public void refresh(
            SegmentedLog log,
            List<Block> blocks,
            FollowedLog followed,
            Published read,
            TruncationHistory before)
            throws IOException {
        if (!log.topic().isReplicated()) {
            segments.refresh(log, blocks, followed, read);
            return;
        }
        TruncationHistory now = of(log);
        if (now.count() != log.truncations().count()) {
            withdraw(log, now, followed);
        }
        if (!now.equals(before)) {
            return;
        }
        TruncationHistory then = shown.get(log);
        if (now.isInProgress()) {
            if (then == null) {
                // If a crash has interrupted it, nothing else comes before a writer does. Not even
                // for a moment more than is left: the truncation may be counted already, so that a
                // reader would not be told that what it saw is withdrawn.
                segments.refreshBelow(log, blocks, now.lowestInProgress());
                withdraw(log, now, followed);
                shown.put(log, now);
            }
            return;
        }
        if (!now.equals(then)) {
            for (Block block : blocks) {
                block.rereadMark();
            }
            segments.forgetSegments(log);
            shown.put(log, now);
        }
        segments.refresh(log, blocks, followed, read);
    }

    /** Shows no more of a log than is left. */
    private static void withdraw(
            SegmentedLog log, TruncationHistory history, FollowedLog followed) {
        if (followed == null) {
            log.withdrawSeen(history);
            return;
        }
        synchronized (followed) { // no end that was published before is shown afterwards
            followed.forget();
            log.withdrawSeen(history);
        }
    }
}
