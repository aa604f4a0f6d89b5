package io.firn.compact;

import io.firn.CompactionResult;
import io.firn.MissingCodecException;
import io.firn.MoveControl;
import io.firn.format.BatchRewriter;
import io.firn.log.Checkpoint;
import io.firn.log.LogSegment;
import io.firn.log.SealTimes;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.move.Pace;
import io.firn.upkeep.DeferredDeleteDuty;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One compaction of a partition, on the caller's thread. The first pass reads the dirty part and
 * notes the latest offset of each key; the second rewrites segments, from the first one on, in
 * groups of neighbours that fit one segment. The latest record of each key stays, at its offset.
 *
 * <p>The order matters: a tombstone goes only after all segments below it were rewritten, durably
 * ({@link Survivors}). So the groups are published from the first to the last.
 */
final class Compaction {
    /** Timestamps that count from a horizon take more bytes. */
    private static final int SPARE_SHARE = 8;

    private final SegmentedLog log;
    private final DeferredDeleteDuty releases;
    private final Checkpoint checkpoints;
    private final CompactionLimits limits;
    private final int mostKeyBytes;
    private final LeftOut leftOut;
    private final long retryMs;
    private final Pace pace;
    private final long nowMs;
    private final NamedSegments skipped = new NamedSegments();
    private final NamedSegments full = new NamedSegments();
    private boolean wasHindered;
    private final TransactionTrace trace;
    private KeyMap keys;

    private int segmentsAfter;
    private long bytesAfter;
    private long removedRecords;
    private long keylessRecords;

    /**
     * A compaction.
     *
     * @param mostKeyBytes the bytes that may be used for keys
     * @param leftOut the segments of this partition that are left out; more are added
     * @param retryMs when those are tried again that are left out for a while
     */
    Compaction(
            SegmentedLog log,
            DeferredDeleteDuty releases,
            Checkpoint checkpoints,
            CompactionLimits limits,
            int mostKeyBytes,
            LeftOut leftOut,
            long retryMs,
            MoveControl control) {
        this.log = log;
        this.releases = releases;
        this.checkpoints = checkpoints;
        this.limits = limits;
        this.mostKeyBytes = mostKeyBytes;
        this.leftOut = leftOut;
        this.retryMs = retryMs;
        this.pace = new Pace(control, this::isWanted);
        this.nowMs = log.store().timeMs();
        this.trace = new TransactionTrace(log.readerLimit());
    }

    private boolean isWanted() {
        return log.state().mayMove()
                && log.topic().options().cleanup().isCompacting() // may change meanwhile
                && !log.store().background().isEnding();
    }

    CompactionResult run() {
        DirtyPart part = DirtyPart.of(log, limits.minLagMs(), nowMs, leftOut);
        keys = KeyMap.of(part.dirtyBytes(), mostKeyBytes);
        long knownTo = part.from();
        if (part.from() < part.to()) {
            knownTo = noteKeys(part);
        }
        if (knownTo > part.from() && pace.isWanted()) {
            rewrite(part.segments(), knownTo, knownTo < part.to());
        } else {
            part.segments().forEach(this::leave);
        }
        return new CompactionCounts(
                pace.isWanted() ? knownTo : part.from(),
                part.to(),
                keys.keys(),
                part.segments().size(),
                segmentsAfter,
                part.bytes(),
                bytesAfter,
                removedRecords,
                keylessRecords,
                skipped.lines(),
                full.lines());
    }

    /** Returns whether it was ended before it had looked at all segments. */
    boolean wasCancelled() {
        return !pace.isWanted();
    }

    /** Returns whether a segment was skipped that was to be rewritten. */
    boolean wasHindered() {
        return wasHindered;
    }

    // ---- the first pass

    /** Notes the latest offset of each key; returns the offset up to which all were noted. */
    private long noteKeys(DirtyPart part) {
        try (BatchRewriter batch = new BatchRewriter(keys.hash())) {
            return noteKeys(part, batch);
        }
    }

    private long noteKeys(DirtyPart part, BatchRewriter batch) {
        long done = 0;
        for (LogSegment segment : part.segments()) {
            if (segment.endOffset() <= part.from() || leftOut.isResting(segment)) {
                continue;
            }
            try (SourceSegment source = new SourceSegment(segment)) {
                while (source.next()) {
                    if (!pace.pause(done, part.dirtyBytes(), source.size())) {
                        return part.from();
                    }
                    done += source.size();
                    if (source.toOffset() > part.from()) {
                        long end = noteKeys(segment, source, batch, part.from());
                        if (end < source.toOffset()) {
                            return end; // no more room: the next compaction continues here
                        }
                    }
                }
            } catch (IOException | InternalError e) {
                if (!segment.isDoomed()) {
                    log.store().stateOf(segment.block().tier()).noteError(e);
                    leftOut.addResting(segment, "the medium failed: " + e.getMessage(), retryMs);
                }
            }
        }
        return part.to();
    }

    /**
     * Notes the keys of a batch. Those of a damaged one are unknown, so that what they supersede
     * stays.
     */
    private long noteKeys(LogSegment segment, SourceSegment source, BatchRewriter batch, long from)
            throws IOException {
        if (!source.isWhole()) {
            leftOut.addUnread(segment, source.damage(), null);
            return source.toOffset();
        }
        try {
            batch.open(source.memory(), source.position(), source.size());
            boolean hasKeys = !batch.isControl() && !trace.isAborted(batch);
            if (hasKeys) {
                batch.check(); // if it ends in damage, none of its keys may count
            }
            while (hasKeys && batch.next()) {
                if (batch.hasKey() && batch.offset() >= from && !keys.put(batch.offset())) {
                    return batch.offset();
                }
            }
        } catch (IOException | MissingCodecException e) {
            leftOut.addUnread(segment, source.unreadable(e), e);
        }
        return source.toOffset();
    }

    // ---- the second pass

    private void rewrite(List<LogSegment> segments, long knownTo, boolean isPart) {
        long floor = Long.MAX_VALUE; // of nothing below
        int i = 0;
        while (i < segments.size()) {
            List<LogSegment> group = groupAt(segments, i, knownTo);
            if (group.isEmpty()) {
                floor = Math.min(floor, leave(segments.get(i)));
                i++;
                continue;
            }
            LogSegment last = group.get(group.size() - 1);
            long compactedTo =
                    Math.max(Math.min(knownTo, leftOut.unreadAbove(last)), floorOf(group));
            Survivors survivors = new Survivors(keys, knownTo, log.logStartOffset(), nowMs, floor);
            // By now all below is published without what these tombstones delete.
            trace.begin();
            BatchFilter filter = newFilter(survivors, trace);
            SegmentRewrite rewrite =
                    new SegmentRewrite(
                            log, releases, checkpoints, group, filter, compactedTo, pace);
            boolean done;
            try (filter) {
                done = rewrite.run();
            }
            if (rewrite.unreadable() != null) {
                leftOut.addUnreadable(rewrite.unreadable());
                trace.restart();
                continue; // the others once more, without it
            }
            if (!pace.isWanted() && !done) {
                group.forEach(each -> skipped.add(each, rewrite.skipped()));
                segments.subList(i, segments.size()).forEach(this::count);
                return;
            }
            i += group.size();
            if (done) {
                floor = Math.min(floor, compactedTo);
                finish(rewrite, filter, group, compactedTo < knownTo ? knownTo : -1);
            } else {
                trace.leaveOut();
                floor = Math.min(floor, floorOf(group));
                group.forEach(each -> skip(each, rewrite.skipped(), isPart));
            }
        }
    }

    private BatchFilter newFilter(Survivors survivors, TransactionTrace trace) {
        long timeMs = log.store().timeMs();
        boolean mayBeBehind = SealTimes.of(log.segments(), timeMs).mayClockBeBehind();
        return new BatchFilter(
                keys.hash(), survivors, trace, limits.horizonMs(timeMs), !mayBeBehind);
    }

    /** Leaves a segment as it is; returns up to where it was compacted. */
    private long leave(LogSegment segment) {
        trace.leaveOut();
        count(segment);
        if (leftOut.contains(segment)) {
            skipped.add(segment, leftOut.reason(segment));
        }
        return leftOut.isBroken(segment) ? -1 : floorOf(List.of(segment));
    }

    private void skip(LogSegment segment, String why, boolean isPart) {
        count(segment);
        skipped.add(segment, why);
        wasHindered = true;
        if (isPart) {
            leftOut.addSkipped(segment, why, retryMs); // or the next run would end here again
        }
    }

    /**
     * Counts what was made of a group.
     *
     * @param around the offset to which it was compacted around unread segments; −1 for none
     */
    private void finish(
            SegmentRewrite rewrite, BatchFilter filter, List<LogSegment> group, long around) {
        removedRecords += filter.removedRecords();
        keylessRecords += filter.keylessRecords();
        LogSegment made = rewrite.made() == null ? group.get(0) : rewrite.made();
        count(made);
        if (around >= 0) {
            leftOut.noteAround(made, around);
        }
        if (filter.tombstonesWithoutRoom() > 0) {
            full.add(
                    made,
                    "no room for the time from which "
                            + filter.tombstonesWithoutRoom()
                            + " tombstones may be removed");
        }
    }

    /** Returns the group that begins with a segment; empty when that stays as it is. */
    private List<LogSegment> groupAt(List<LogSegment> segments, int first, long knownTo) {
        List<LogSegment> group = new ArrayList<>();
        long bytes = 0;
        LogSegment head = segments.get(first);
        TierState tier = log.store().stateOf(head.block().tier());
        int room = Math.min(log.topic().segmentBytes(), tier.tier().maxSegmentBytes());
        room -= room / SPARE_SHARE;
        for (LogSegment next : segments.subList(first, segments.size())) {
            bytes += next.written();
            boolean fits =
                    group.isEmpty()
                            || (bytes <= room
                                    && next.endOffset() - head.baseOffset() <= Integer.MAX_VALUE
                                    && log.store().stateOf(next.block().tier()) == tier);
            if (!fits || leftOut.contains(next) || next.baseOffset() >= knownTo) {
                break;
            }
            group.add(next);
        }
        return group;
    }

    private static long floorOf(List<LogSegment> segments) {
        return segments.stream().mapToLong(DirtyPart::compactedTo).min().orElseThrow();
    }

    private void count(LogSegment segment) {
        segmentsAfter++;
        bytesAfter += segment.written();
    }
}
