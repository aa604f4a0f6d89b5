package io.firn.recovery;

import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.SegmentState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The segments of a store that another process writes, as their marks prove them. In a WRITTEN
 * topic it also shows whole batches above the marks ({@link BatchesAboveMark}). For one thread at a
 * time.
 */
public final class FollowedSegments {
    /** After so many looks a gap is shown. */
    public static final int LOOKS_AT_A_GAP = 20;

    private static final Comparator<LogSegment> BY_BASE =
            Comparator.comparingLong(segment -> segment.baseOffset);

    private final BatchesAboveMark batches;
    private final Map<Block, LogSegment> known = new IdentityHashMap<>();
    private final Map<LogSegment, Integer> missed = new IdentityHashMap<>();
    private final Map<SegmentedLog, Integer> gaps = new HashMap<>();

    public FollowedSegments(BatchesAboveMark batches) {
        this.batches = batches;
    }

    /** The blocks of which it shows segments. */
    public Collection<Block> blocks() {
        return known.keySet();
    }

    /** Forgets all other blocks. */
    public void retain(Set<Block> blocks) {
        known.keySet().retainAll(blocks);
    }

    /** Forgets a log whose topic is gone. */
    public void forget(SegmentedLog log) {
        gaps.remove(log);
        for (LogSegment segment : log.segments()) {
            missed.remove(segment);
        }
    }

    /**
     * Shows what a log's blocks prove now.
     *
     * @param blocks hotter tiers first, with marks that were read just now
     */
    public void refresh(SegmentedLog log, List<Block> blocks) throws IOException {
        List<LogSegment> all = new ArrayList<>();
        for (Block block : blocks) {
            LogSegment segment = segmentOf(block);
            if (segment != null) {
                all.add(segment);
            }
        }
        all.sort(BY_BASE); // stable: of two copies of one segment, the hotter comes first
        for (int i = all.size() - 1; i > 0; i--) {
            if (all.get(i).baseOffset == all.get(i - 1).baseOffset) {
                all.remove(i); // it is being moved
            }
        }
        for (int i = 0; i < all.size() - 1; i++) {
            if (!all.get(i).sealed) {
                // Sealed since the last look: otherwise its successor would have no mark yet.
                all.get(i).block.refreshMark();
                segmentOf(all.get(i).block);
            }
        }
        long start = Math.max(log.topic().files().readLogStart(log.index()), log.logStartOffset());
        keepMissed(log, all, start);
        stopAtGap(log, all, start);
        long durable = Math.max(start, log.durableOffset());
        long visible = Math.max(durable, log.nextOffset());
        for (LogSegment segment : all) {
            // What was seen above the mark is not proven yet.
            long marked = segment.sealed ? segment.endOffset : segment.block.mark().offset();
            durable = Math.max(durable, marked);
            if (!segment.sealed && !log.isDurable()) {
                lookAboveMark(segment);
            }
            visible = Math.max(visible, segment.offsetOf(segment.end()));
        }
        log.publishFound(all.toArray(new LogSegment[0]), start, durable, visible);
    }

    /**
     * A look during a rename may find neither name, so a segment that was there at the last look
     * and was not deleted counts as missing only when it is not found for a while.
     */
    private void keepMissed(SegmentedLog log, List<LogSegment> all, long start) {
        List<LogSegment> found = List.copyOf(all);
        for (LogSegment before : log.segments()) {
            int at = Collections.binarySearch(found, before, BY_BASE);
            if (at < 0 && !before.sealed && -at - 1 < found.size()) {
                // It has a successor, so it is complete; its end has not been seen.
                before.endOffset = before.offsetOf(before.end());
            }
            boolean isMissing = at < 0 && before.endOffset > start;
            if (isMissing && missed.merge(before, 1, Integer::sum) < LOOKS_AT_A_GAP) {
                all.add(before);
            } else {
                missed.remove(before);
            }
        }
        all.sort(BY_BASE);
    }

    /** Whether something was held back that the next looks may show. */
    public boolean isInDoubt() {
        return gaps.values().stream().anyMatch(looks -> looks < LOOKS_AT_A_GAP);
    }

    /**
     * A gap may also be an effect of the look itself: it is shown when it is still there after a
     * while. At the front, the first segment may have been missed, or the start of the log may have
     * been read while it was written again.
     */
    private void stopAtGap(SegmentedLog log, List<LogSegment> all, long start) {
        boolean isAtFront = !all.isEmpty() && all.get(0).baseOffset > start;
        if (isAtFront && log.nextOffset() <= start) {
            if (gaps.merge(log, 1, Integer::sum) < LOOKS_AT_A_GAP) {
                all.clear();
            }
            return;
        }
        for (int i = 0; i < all.size() - 1; i++) {
            if (all.get(i).endOffset < all.get(i + 1).baseOffset) {
                int looks = gaps.merge(log, 1, Integer::sum);
                if (looks < LOOKS_AT_A_GAP && all.get(i).endOffset >= log.nextOffset()) {
                    all.subList(i + 1, all.size()).clear();
                }
                return;
            }
        }
        gaps.remove(log);
    }

    /**
     * Returns the log's segment for a block, updated to its mark; null while the mark proves
     * nothing.
     */
    private LogSegment segmentOf(Block block) throws IOException {
        Mark mark = block.mark();
        LogSegment segment = known.get(block);
        if (mark.state() == SegmentState.RESERVED) {
            return segment; // known since it was found after a crash
        }
        if (segment == null) {
            segment = new LogSegment(block, mark.baseOffset());
            known.put(block, segment);
        }
        if (segment.sealed) {
            return segment;
        }
        boolean isSealed = mark.state() == SegmentState.SEALED;
        long end = mark.offset();
        if (isSealed && end < 0) { // its mark was lost
            end = PartitionRecovery.endByBatches(block, block.capacity());
        }
        if (end >= segment.offsetOf(segment.end())) {
            segment.setWritten(mark.position(), end);
        }
        if (isSealed) {
            segment.endOffset = end;
            segment.sealed = true;
            segment.index(null); // an index that was made earlier covers only a part
        }
        return segment;
    }

    private void lookAboveMark(LogSegment segment) throws IOException {
        long pair = segment.end();
        int position = LogSegment.positionOf(pair);
        BatchesAboveMark.End end = batches.after(segment.block, position, segment.offsetOf(pair));
        segment.setWritten(end.position(), end.offset());
    }

    /** Shows what a crashed writer left above the marks. */
    public void show(CrashTail.Found tail) {
        SegmentedLog log = tail.log();
        List<LogSegment> all = new ArrayList<>(List.of(log.segments()));
        long next = log.nextOffset();
        for (CrashTail.Piece piece : tail.pieces()) {
            LogSegment segment = known.get(piece.block());
            if (segment == null) {
                segment = new LogSegment(piece.block(), piece.baseOffset());
                known.put(piece.block(), segment);
                if (!all.isEmpty()) {
                    all.get(all.size() - 1).endOffset = piece.baseOffset();
                }
                all.add(segment);
            }
            segment.setWritten(piece.end().position(), piece.end().offset());
            next = Math.max(next, piece.end().offset());
        }
        long durable = Math.max(next, log.durableOffset());
        log.publishFound(all.toArray(new LogSegment[0]), log.logStartOffset(), durable, next);
    }
}
