package io.firn.follow;

import io.firn.compact.ReplacedSegments;
import io.firn.follow.FollowedOffsets.Published;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.recovery.SegmentChain;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
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
    static final Comparator<LogSegment> BY_BASE =
            Comparator.comparingLong(segment -> segment.baseOffset());

    private final BatchesAboveMark batches;
    private final Map<Block, LogSegment> known = new IdentityHashMap<>();
    private final MissingSegments missing = new MissingSegments();

    public FollowedSegments(BatchesAboveMark batches) {
        this.batches = batches;
    }

    /** The blocks of which it shows segments. */
    public Collection<Block> blocks() {
        return known.keySet();
    }

    /** Returns what the last looks did not find although it may be there. */
    public MissingSegments missing() {
        return missing;
    }

    /** Forgets all other blocks. */
    public void retain(Set<Block> blocks) {
        known.keySet().retainAll(blocks);
    }

    /** Forgets a log whose topic is gone. */
    public void forget(SegmentedLog log) {
        missing.forget(log);
    }

    /**
     * Shows what a log's blocks prove now.
     *
     * @param blocks hotter tiers first, with marks that were read just now
     */
    public void refresh(SegmentedLog log, List<Block> blocks) throws IOException {
        refresh(log, blocks, null, null);
    }

    /** Forgets the segments of a log: they may end earlier than they did. */
    void forgetSegments(SegmentedLog log) {
        known.keySet().removeIf(block -> isOf(block.mark(), log));
        missing.forgetSegments(log);
    }

    private static boolean isOf(Mark mark, SegmentedLog log) {
        return mark.topicId().equals(log.topic().id()) && mark.partition() == log.index();
    }

    /**
     * Shows what a log's blocks prove now, and what the writer has published.
     *
     * @param blocks hotter tiers first, with marks that were read just now
     * @param followed what follows the published offsets; null for nothing
     * @param read what was published before this look; null if there was nothing to believe
     */
    public void refresh(SegmentedLog log, List<Block> blocks, FollowedLog followed, Published read)
            throws IOException {
        refresh(log, blocks, followed, read, Long.MAX_VALUE);
    }

    /** Shows what a log's blocks prove now below an offset. */
    void refreshBelow(SegmentedLog log, List<Block> blocks, long limit) throws IOException {
        refresh(log, blocks, null, null, limit);
    }

    private void refresh(
            SegmentedLog log, List<Block> blocks, FollowedLog followed, Published read, long limit)
            throws IOException {
        List<LogSegment> all = new ArrayList<>();
        for (Block block : ReplacedSegments.among(blocks).current()) {
            LogSegment segment = segmentOf(log, block, read);
            if (segment != null) {
                all.add(segment);
            }
        }
        all.sort(BY_BASE); // stable: of two copies of one segment, the hotter comes first
        for (int i = all.size() - 1; i > 0; i--) {
            if (all.get(i).baseOffset() == all.get(i - 1).baseOffset()) {
                all.remove(i); // it is being moved
            }
        }
        for (int i = 0; i < all.size() - 1; i++) {
            if (!all.get(i).isSealed()) {
                // Sealed since the last look: otherwise its successor would have no mark yet.
                all.get(i).block().refreshMark();
                segmentOf(log, all.get(i).block(), read);
            }
        }
        long start = Math.max(startOf(log, followed), log.logStartOffset());
        missing.keep(log, all, start);
        missing.stopAtGap(log, all, start);
        long durable = Math.max(start, log.durableOffset());
        long visible = Math.max(durable, log.nextOffset());
        for (LogSegment segment : all) {
            // What was seen above the mark is not proven yet.
            long marked =
                    segment.isSealed() ? segment.endOffset() : segment.block().mark().offset();
            durable = Math.max(durable, marked);
            if (!segment.isSealed() && !missing.has(segment)) {
                lookAboveMark(log, segment, read);
            }
            visible = Math.max(visible, segment.offsetOf(segment.end()));
        }
        if (read != null) {
            // No further than published: what is above may be taken back (O19).
            visible = Math.min(visible, Math.max(read.next(), log.nextOffset()));
        }
        endRolled(all);
        durable = Math.max(start, Math.min(durable, limit));
        visible = Math.max(start, Math.min(visible, limit));
        long seen = log.isDurable() ? durable : visible;
        if (followed == null) {
            publish(log, all, start, durable, seen);
            return;
        }
        LogSegment last = all.isEmpty() ? null : all.get(all.size() - 1);
        synchronized (followed) { // no end is published in a segment that is replaced
            publish(log, all, start, durable, seen);
            if (read == null) {
                followed.forget();
            } else {
                followed.adopt(read, isActive(last, read) ? last : null, visible);
            }
        }
    }

    /** A segment whose block was found anew is known as far as it was before. */
    private static void publish(
            SegmentedLog log, List<LogSegment> all, long start, long durable, long next) {
        for (LogSegment before : log.segments()) {
            int at = Collections.binarySearch(all, before, BY_BASE);
            if (at >= 0 && !all.get(at).isSealed()) {
                all.get(at).raiseEnd(before.end());
            }
        }
        log.publishFound(all.toArray(new LogSegment[0]), start, durable, next);
    }

    /**
     * The log start after the blocks were listed: it is raised before a segment is deleted (O3), so
     * one that was not found for that reason is below it.
     */
    private static long startOf(SegmentedLog log, FollowedLog followed) throws IOException {
        Published now = followed == null ? null : followed.offsets().read();
        return now == null ? log.topic().files().readLogStart(log.index()) : now.start();
    }

    private static boolean isActive(LogSegment last, Published read) {
        return last != null
                && !last.isSealed()
                && last.baseOffset() == read.base()
                && last.block().mark().epoch() == read.epoch();
    }

    /** The end of a segment that has a successor is known before it is sealed. */
    private static void endRolled(List<LogSegment> all) {
        for (int i = 0; i < all.size() - 1; i++) {
            if (!all.get(i).isSealed()) {
                all.get(i).roll(all.get(i + 1).baseOffset());
            }
        }
    }

    /**
     * Shows the segment that the writer has begun, in a log of which all below was shown.
     *
     * @param found the block of that segment; null while nothing is written in it
     * @param read what was published before it was found
     * @return false when that is not the next segment after the last one that was shown
     */
    public boolean begin(SegmentedLog log, Block found, FollowedLog followed, Published read) {
        LogSegment[] before = log.segments();
        LogSegment last = before.length == 0 ? null : before[before.length - 1];
        boolean isAnother =
                found != null && (found.mark().epoch() != read.epoch() || known.containsKey(found));
        if (last == null || isAnother) {
            return false;
        }
        if (last.baseOffset() == read.baseBefore() && !last.isSealed()) {
            last.raiseEnd(read.endBefore());
        }
        if (last.offsetOf(last.end()) != read.base()) {
            return false;
        }
        List<LogSegment> all = new ArrayList<>(List.of(before));
        LogSegment begun = null;
        if (found != null) {
            begun = new LogSegment(found, read.base()).ofReplica(log.topic().isReplicated());
            begun.raiseEnd(read.end());
            known.put(found, begun);
            all.add(begun);
            endRolled(all);
        }
        long durable = Math.min(read.durable(), read.next());
        long seen = log.isDurable() ? durable : read.next();
        synchronized (followed) {
            publish(log, all, read.start(), durable, seen);
            followed.adopt(read, begun, read.next());
        }
        return true;
    }

    /**
     * Returns the log's segment for a block, updated to its mark; null while neither the mark nor
     * what is published proves anything.
     */
    private LogSegment segmentOf(SegmentedLog log, Block block, Published read) throws IOException {
        Mark mark = block.mark();
        LogSegment segment = known.get(block);
        boolean isReplica = log.topic().isReplicated();
        if (mark.state() == SegmentState.RESERVED) {
            boolean mayBeBegun = segment == null && read != null && !isReplica;
            if (mayBeBegun) {
                long base = baseOf(block, read);
                if (base >= 0) {
                    segment = new LogSegment(block, base);
                    known.put(block, segment);
                }
            }
            return segment; // known since it was found after a crash, or published
        }
        if (segment == null) {
            segment = new LogSegment(block, mark.baseOffset()).ofReplica(isReplica);
            known.put(block, segment);
        }
        if (segment.isSealed()) {
            return segment;
        }
        boolean isSealed = mark.state() == SegmentState.SEALED;
        long end = mark.offset();
        if (isSealed && end < 0) { // its mark was lost
            end = SegmentChain.endByBatches(block, block.capacity(), isReplica);
        }
        // A file that lost its end is damaged there, as it is for the writer.
        int length = isSealed ? Math.min(mark.position(), block.capacity()) : mark.position();
        segment.raiseEnd(length, end);
        if (isSealed) {
            segment.sealedAt(end);
            segment.index(null); // an index that was made earlier covers only a part
        }
        return segment;
    }

    /**
     * Returns the base offset of a segment without a mark: that of the active one is published, an
     * earlier one begins with its own. Returns −1 for a block that is reserved for a later segment
     * or for a copy.
     */
    private long baseOf(Block block, Published read) throws IOException {
        long epoch = block.mark().epoch();
        if (epoch >= read.epoch()) {
            return epoch == read.epoch() && read.position() > 0 ? read.base() : -1;
        }
        long base = batches.baseOffset(block);
        boolean isEarlier = base >= read.start() && base < read.base();
        return isEarlier && batches.after(block, 0, base).position() > 0 ? base : -1;
    }

    private void lookAboveMark(SegmentedLog log, LogSegment segment, Published read)
            throws IOException {
        if (read != null && segment.baseOffset() == read.base()) {
            if (segment.block().mark().epoch() == read.epoch()) {
                segment.raiseEnd(read.end());
            }
            return;
        }
        if (read != null && segment.baseOffset() == read.baseBefore()) {
            segment.raiseEnd(read.endBefore());
            return;
        }
        if (read == null && log.isDurable()) {
            return; // only the marks prove anything
        }
        long pair = segment.end();
        int position = LogSegment.positionOf(pair);
        boolean isReplica = log.topic().isReplicated();
        BatchesAboveMark.End end =
                batches.after(segment.block(), position, segment.offsetOf(pair), isReplica);
        segment.raiseEnd(end.position(), end.offset());
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
            }
            if (!all.contains(segment)) { // it may be known, but held back after a gap
                all.add(segment);
                endRolled(all);
            }
            segment.raiseEnd(piece.end().position(), piece.end().offset());
            next = Math.max(next, piece.end().offset());
        }
        long durable = Math.max(next, log.durableOffset());
        publish(log, all, log.logStartOffset(), durable, next);
    }
}
