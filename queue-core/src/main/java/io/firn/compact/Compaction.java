package io.firn.compact;

import io.firn.CompactionResult;
import io.firn.MissingCodecException;
import io.firn.MoveControl;
import io.firn.batch.BatchRewriter;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.move.Pace;
import io.firn.upkeep.Checkpoints;
import io.firn.upkeep.Releases;
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
    private final Releases releases;
    private final Checkpoints checkpoints;
    private final CompactionLimits limits;
    private final int mostKeyBytes;
    private final Unreadable unreadable;
    private final Pace pace;
    private final long nowMs;
    private final List<String> skipped = new ArrayList<>();
    private KeyMap keys;

    private int segmentsAfter;
    private long bytesAfter;
    private long removedRecords;
    private long keylessRecords;

    /**
     * A compaction.
     *
     * @param mostKeyBytes the bytes that may be used for keys
     * @param unreadable the segments of this partition that are left out; more are added
     */
    Compaction(
            SegmentedLog log,
            Releases releases,
            Checkpoints checkpoints,
            CompactionLimits limits,
            int mostKeyBytes,
            Unreadable unreadable,
            MoveControl control) {
        this.log = log;
        this.releases = releases;
        this.checkpoints = checkpoints;
        this.limits = limits;
        this.mostKeyBytes = mostKeyBytes;
        this.unreadable = unreadable;
        this.pace = new Pace(control, this::isWanted);
        this.nowMs = log.store().timeMs();
    }

    private boolean isWanted() {
        return log.state().mayMove()
                && log.topic().options().cleanup().isCompacting() // may change meanwhile
                && !log.store().background().isEnding();
    }

    CompactionResult run() {
        DirtyPart part = DirtyPart.of(log, limits.minLagMs(), nowMs, unreadable);
        keys = KeyMap.of(part.dirtyBytes(), mostKeyBytes);
        long knownTo = part.from();
        if (part.from() < part.to()) {
            knownTo = noteKeys(part);
        }
        if (knownTo > part.from() && pace.isWanted()) {
            rewrite(part.segments(), knownTo);
        } else {
            part.segments().forEach(this::count);
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
                skipped);
    }

    // ---- the first pass

    /** Notes the latest offset of each key; returns the offset up to which all were noted. */
    private long noteKeys(DirtyPart part) {
        BatchRewriter batch = new BatchRewriter();
        long done = 0;
        for (LogSegment segment : part.segments()) {
            if (segment.endOffset <= part.from()) {
                continue;
            }
            try (SourceSegment source = new SourceSegment(segment)) {
                while (source.next()) {
                    if (!pace.pause(done, part.dirtyBytes(), source.size())) {
                        return part.from();
                    }
                    done += source.size();
                    if (source.toOffset() > part.from()) {
                        long end = noteKeys(source, batch, part.from());
                        if (end < source.toOffset()) {
                            return end; // no more room: the next compaction continues here
                        }
                    }
                }
            } catch (IOException | InternalError e) {
                if (!segment.isDoomed()) {
                    log.store().stateOf(segment.block.tier()).noteError(e);
                    unreadable.add(segment, e.getMessage());
                }
            }
        }
        return part.to();
    }

    /**
     * Notes the keys of a batch. Those of a damaged one are unknown, so that what they supersede
     * stays.
     */
    private long noteKeys(SourceSegment source, BatchRewriter batch, long from) throws IOException {
        byte[] bytes = source.read();
        if (bytes == null) {
            return source.toOffset();
        }
        try {
            batch.open(bytes, source.size());
            while (!batch.isControl() && batch.next()) {
                if (batch.hasKey() && batch.offset() >= from && !keys.put(batch)) {
                    return batch.offset();
                }
            }
        } catch (IOException | MissingCodecException e) {
            return source.toOffset(); // the second pass leaves the segment as it is, and says why
        }
        return source.toOffset();
    }

    // ---- the second pass

    private void rewrite(List<LogSegment> segments, long knownTo) {
        long floor = Long.MAX_VALUE; // of nothing below
        int i = 0;
        while (i < segments.size()) {
            List<LogSegment> group = groupAt(segments, i, knownTo);
            if (group.isEmpty()) {
                LogSegment left = segments.get(i);
                count(left);
                if (unreadable.contains(left)) {
                    skipped.add(left + ": " + unreadable.reason(left));
                }
                floor = Math.min(floor, unreadable.contains(left) ? -1 : floorOf(List.of(left)));
                i++;
                continue;
            }
            Survivors survivors = new Survivors(keys, knownTo, log.logStartOffset(), nowMs, floor);
            BatchFilter filter = new BatchFilter(survivors, limits.horizonMs(nowMs));
            SegmentRewrite rewrite =
                    new SegmentRewrite(log, releases, checkpoints, group, filter, knownTo, pace);
            boolean done = rewrite.run();
            if (rewrite.unreadable() != null) {
                unreadable.add(rewrite.unreadable(), rewrite.skipped());
                continue; // the others once more, without it
            }
            if (!done) {
                group.forEach(each -> skipped.add(each + ": " + rewrite.skipped()));
            }
            if (!pace.isWanted()) {
                segments.subList(i, segments.size()).forEach(this::count);
                return;
            }
            i += group.size();
            floor = Math.min(floor, done ? knownTo : floorOf(group));
            if (done) {
                removedRecords += filter.removedRecords();
                keylessRecords += filter.keylessRecords();
            }
            if (rewrite.made() != null) {
                count(rewrite.made());
            } else {
                group.forEach(this::count);
            }
        }
    }

    /** Returns the group that begins with a segment; empty when that stays as it is. */
    private List<LogSegment> groupAt(List<LogSegment> segments, int first, long knownTo) {
        List<LogSegment> group = new ArrayList<>();
        long bytes = 0;
        LogSegment head = segments.get(first);
        TierState tier = log.store().stateOf(head.block.tier());
        int room = Math.min(log.topic().segmentBytes(), tier.tier().maxSegmentBytes());
        room -= room / SPARE_SHARE;
        for (LogSegment next : segments.subList(first, segments.size())) {
            bytes += next.written();
            boolean fits =
                    group.isEmpty()
                            || (bytes <= room
                                    && next.endOffset - head.baseOffset <= Integer.MAX_VALUE
                                    && log.store().stateOf(next.block.tier()) == tier);
            if (!fits || unreadable.contains(next) || next.baseOffset >= knownTo) {
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
