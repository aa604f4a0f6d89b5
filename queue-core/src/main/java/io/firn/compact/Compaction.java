package io.firn.compact;

import io.firn.LogStore.MoveControl;
import io.firn.MissingCodecException;
import io.firn.PartitionReader.CompactionResult;
import io.firn.TopicOptions;
import io.firn.format.BatchRewriter;
import io.firn.log.LogSegment;
import io.firn.log.SealTimes;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.move.CheckedCopy.Pace;
import io.firn.upkeep.PartitionUpkeep;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One compaction of a partition, on the caller's thread. The first pass reads the dirty range and
 * notes the latest offset of each key; the second rewrites segments, from the first one on, in
 * groups of neighbours that fit one segment. The latest record of each key stays, at its offset.
 *
 * <p>The order matters: a tombstone goes only after all segments below it were rewritten, durably
 * ({@link RetentionRule}). So the groups are published from the first to the last.
 */
final class Compaction {
    /** Timestamps that count from a horizon take more bytes. */
    private static final int SPARE_SHARE = 8;

    private final SegmentedLog log;
    private final PartitionUpkeep upkeep;
    private final TopicOptions options;
    private final int mostKeyBytes;
    private final SkippedSegments skipped;
    private final Pace pace;
    private final long nowMs;
    private final CompactionTally tally = new CompactionTally();
    private boolean wasHindered;
    private final TransactionTrace trace;
    private OffsetMap keys;

    /**
     * A compaction.
     *
     * @param mostKeyBytes the bytes that may be used for keys
     * @param skipped the segments of this partition that are skipped; more are added
     */
    Compaction(
            SegmentedLog log,
            PartitionUpkeep upkeep,
            int mostKeyBytes,
            SkippedSegments skipped,
            MoveControl control) {
        this.log = log;
        this.upkeep = upkeep;
        this.options = log.topic().options();
        this.mostKeyBytes = mostKeyBytes;
        this.skipped = skipped;
        this.pace = new Pace(control, this::isWanted);
        this.nowMs = log.store().timeMs();
        this.trace = new TransactionTrace(log.readerLimit());
    }

    private boolean isWanted() {
        return log.state().mayCompact()
                && log.topic().options().cleanup().isCompacting() // may change meanwhile
                && !log.store().background().isEnding();
    }

    CompactionResult run() {
        DirtyRange range =
                DirtyRange.of(log, options.minCompactionLag().toMillis(), nowMs, skipped);
        keys = OffsetMap.of(range.dirtyBytes(), mostKeyBytes);
        long knownTo = range.from();
        if (range.from() < range.to()) {
            knownTo = noteKeys(range);
        }
        if (knownTo > range.from() && pace.isWanted()) {
            rewrite(range.segments(), knownTo, knownTo < range.to());
        } else {
            range.segments().forEach(this::leave);
        }
        return tally.result(range, pace.isWanted() ? knownTo : range.from(), keys.keys());
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
    private long noteKeys(DirtyRange range) {
        try (BatchRewriter batch = new BatchRewriter(keys.hash())) {
            return noteKeys(range, batch);
        }
    }

    private long noteKeys(DirtyRange range, BatchRewriter batch) {
        long done = 0;
        for (LogSegment segment : range.segments()) {
            if (segment.endOffset() <= range.from() || skipped.isResting(segment)) {
                continue;
            }
            try (SourceSegment source = new SourceSegment(segment)) {
                while (source.next()) {
                    if (!pace.pause(done, range.dirtyBytes(), source.size())) {
                        return range.from();
                    }
                    done += source.size();
                    if (source.toOffset() > range.from()) {
                        long end = noteKeys(segment, source, batch, range.from());
                        if (end < source.toOffset()) {
                            return end; // no more room: the next compaction continues here
                        }
                    }
                }
            } catch (IOException | InternalError e) {
                if (!segment.isDoomed()) {
                    log.store().stateOf(segment.block().tier()).noteError(e);
                    skipped.addResting(segment, "the medium failed: " + e.getMessage());
                }
            }
        }
        return range.to();
    }

    /**
     * Notes the keys of a batch. Those of a damaged one are unknown, so that what they supersede
     * stays.
     */
    private long noteKeys(LogSegment segment, SourceSegment source, BatchRewriter batch, long from)
            throws IOException {
        if (!source.isWhole()) {
            skipped.addUnread(segment, source.damage(), null);
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
        } catch (MissingCodecException e) {
            log.noteMissingCodec(e);
            skipped.addUnread(segment, source.unreadable(e), e);
        } catch (IOException e) {
            skipped.addUnread(segment, source.unreadable(e), e);
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
                    Math.max(Math.min(knownTo, skipped.unreadAbove(last)), floorOf(group));
            RetentionRule rule =
                    new RetentionRule(keys, knownTo, log.logStartOffset(), nowMs, floor);
            // By now all below is published without what these tombstones delete.
            trace.begin();
            BatchFilter filter = newFilter(rule, trace);
            SegmentRewrite rewrite = new SegmentRewrite(log, upkeep, group, filter, pace);
            boolean done;
            try (filter) {
                done = rewrite.run(compactedTo);
            }
            if (rewrite.unreadable() != null) {
                skipped.addUnreadable(rewrite.unreadable());
                trace.restart();
                continue; // the others once more, without it
            }
            if (!pace.isWanted() && !done) {
                group.forEach(each -> tally.skip(each, rewrite.skipped()));
                segments.subList(i, segments.size()).forEach(tally::count);
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

    private BatchFilter newFilter(RetentionRule rule, TransactionTrace trace) {
        long timeMs = log.store().timeMs();
        boolean mayBeBehind = SealTimes.of(log.segments(), timeMs).mayClockBeBehind();
        return new BatchFilter(keys.hash(), rule, trace, horizonMs(timeMs), !mayBeBehind);
    }

    /** Returns the time from which tombstones may go that are compacted first now. */
    private long horizonMs(long timeMs) {
        long horizon = timeMs + options.tombstoneRetention().toMillis();
        return horizon < timeMs ? Long.MAX_VALUE : horizon;
    }

    /** Leaves a segment as it is; returns up to where it was compacted. */
    private long leave(LogSegment segment) {
        trace.leaveOut();
        tally.count(segment);
        if (skipped.contains(segment)) {
            tally.skip(segment, skipped.reason(segment));
        }
        return skipped.isBroken(segment) ? -1 : floorOf(List.of(segment));
    }

    private void skip(LogSegment segment, String why, boolean isPart) {
        tally.count(segment);
        tally.skip(segment, why);
        wasHindered = true;
        if (isPart) {
            skipped.addSkipped(segment, why); // or the next run would end here again
        }
    }

    /**
     * Counts what was made of a group.
     *
     * @param around the offset to which it was compacted around unread segments; −1 for none
     */
    private void finish(
            SegmentRewrite rewrite, BatchFilter filter, List<LogSegment> group, long around) {
        LogSegment made = rewrite.made() == null ? group.get(0) : rewrite.made();
        tally.count(made, filter);
        if (around >= 0) {
            skipped.noteAround(made, around);
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
            if (!fits || skipped.contains(next) || next.baseOffset() >= knownTo) {
                break;
            }
            group.add(next);
        }
        return group;
    }

    private static long floorOf(List<LogSegment> segments) {
        return segments.stream().mapToLong(DirtyRange::compactedTo).min().orElseThrow();
    }
}
