package io.firn.recovery;

import io.firn.Finding.Kind;
import io.firn.PartitionReader.DamagedRange;
import io.firn.findings.FindingKey;
import io.firn.findings.Subject;
import io.firn.log.DamagedOffsets;
import io.firn.log.LogContext;
import io.firn.log.LogSegment;
import io.firn.log.SegmentWalk;
import io.firn.log.TopicContext;
import io.firn.recovery.PartitionRecovery.SegmentSelector;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.View;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The segments of a partition that are left of what is in the tiers, each of which goes on where
 * the one before it ends, or after a range that is reported as damaged. {@link PartitionRecovery}
 * has the order of the steps.
 */
public final class SegmentChain {
    private final TopicContext topic;
    private final Subject subject;
    private final SegmentSelector selector;
    private final LogContext store;
    private final List<LogSegment> segments = new ArrayList<>();

    /** Reserved blocks without a valid first batch. */
    private final List<Block> rejected = new ArrayList<>();

    private final List<DamagedRange> damage = new ArrayList<>();
    private LogSegment active;
    private long accepted;
    private long unproven;

    private SegmentChain(TopicContext topic, int partition, SegmentSelector selector) {
        this.topic = topic;
        this.subject = Subject.partition(topic.id(), topic.name(), partition);
        this.selector = selector;
        this.store = topic.store();
    }

    /**
     * Finds the segments of a partition, and frees the blocks that are none.
     *
     * @param selector decides where several segments have the same offsets
     * @param start the log start offset
     */
    static SegmentChain recover(
            TopicContext topic,
            int partition,
            SegmentSelector selector,
            List<Block> blocks,
            long start)
            throws IOException {
        SegmentChain chain = new SegmentChain(topic, partition, selector);
        chain.join(chain.candidates(blocks), start);
        for (Block block : chain.rejected) {
            block.delete();
        }
        return chain;
    }

    // ---- what was found

    /** A segment that was found at open. */
    sealed interface Found permits Sealed, UnsealedSegment {
        /** Returns its first offset. */
        long baseOffset();

        /** Returns the offset after its last valid batch. */
        long endOffset();

        long epoch();

        /** Returns what messages call it. */
        String name();
    }

    /** One that was sealed, so that nothing of it is in doubt. */
    record Sealed(LogSegment segment) implements Found {
        @Override
        public long baseOffset() {
            return segment.baseOffset();
        }

        @Override
        public long endOffset() {
            return segment.offsetOf(segment.end());
        }

        @Override
        public long epoch() {
            return segment.epoch();
        }

        @Override
        public String name() {
            return segment.toString();
        }
    }

    private List<Found> candidates(List<Block> blocks) throws IOException {
        List<Found> usable = new ArrayList<>();
        List<Block> sealed = new ArrayList<>();
        for (Block block : blocks) {
            if (block.mark().state() == SegmentState.SEALED) {
                sealed.add(block);
            } else {
                UnsealedSegment unsealed = UnsealedSegment.find(block, topic.isReplicated());
                if (unsealed == null) {
                    rejected.add(block);
                } else {
                    usable.add(unsealed);
                }
            }
        }
        SegmentSelector.Selection sorted = selector.select(sealed);
        for (Block each : sorted.replaced()) {
            each.delete();
        }
        sorted.putAside().forEach((each, why) -> note(Kind.UNKNOWN_CONTENT, each.name(), why));
        for (Block block : TwinSegments.drop(sorted.current())) {
            usable.add(new Sealed(sealed(block)));
        }
        rejectTorn(usable);
        usable.sort(Comparator.comparingLong(Found::baseOffset));
        return usable;
    }

    /**
     * Rejects reserved blocks that begin with an offset which an older segment contains. The first
     * batch has the block's epoch, so it was written here, but not wholly: neither its CRC nor its
     * epoch covers its offset, and the word with the offset is older. Nothing in such a block was
     * acknowledged, since nothing of it was forced.
     */
    private void rejectTorn(List<Found> usable) {
        List<Found> all = List.copyOf(usable);
        for (Found each : all) {
            if (each instanceof UnsealedSegment unsealed
                    && unsealed.mark.state() == SegmentState.RESERVED
                    && all.stream().anyMatch(older -> isOlderWithOffsetOf(unsealed, older))) {
                usable.remove(each);
                rejected.add(unsealed.block);
                unproven += unsealed.cut();
            }
        }
    }

    private static boolean isOlderWithOffsetOf(UnsealedSegment unsealed, Found older) {
        return older.epoch() < unsealed.epoch() && older.endOffset() > unsealed.baseOffset();
    }

    /** Opens a sealed segment; if its mark was lost, its end is determined from the batches. */
    private LogSegment sealed(Block block) throws IOException {
        Mark mark = block.mark();
        int length = Math.min(mark.position(), block.capacity());
        if (mark.offset() >= 0) {
            if (topic.isReplicated()) {
                block.dropTail(); // a crash may have interrupted a truncation (O28)
            }
            return new LogSegment(block, mark.baseOffset(), length, mark.offset())
                    .ofReplica(topic.isReplicated());
        }
        long end = endByBatches(block, length, topic.isReplicated());
        note(
                Kind.FILE_DAMAGED,
                block.name(),
                "its mark was lost and is made again from the batches");
        block.rewriteMark(
                mark.sealed(mark.epoch(), mark.baseOffset(), length, end, mark.sealTimeMs()));
        return new LogSegment(block, mark.baseOffset(), length, end)
                .ofReplica(topic.isReplicated());
    }

    /**
     * Returns the offset after a sealed segment's last batch, by a walk over all batches. If the
     * last one is damaged, its number of offsets is unknown.
     */
    public static long endByBatches(Block block, int length, boolean isReplica) throws IOException {
        long end = block.mark().baseOffset();
        View view = block.view();
        view.pin();
        try {
            int lastEpoch = isReplica ? -1 : LogSegment.lastEpochBits(block);
            SegmentWalk walk =
                    new SegmentWalk(
                            new SegmentWalk.Bytes(view.buffer(), length, Long.MAX_VALUE, lastEpoch),
                            0,
                            end);
            while (walk.next()) {
                if (!walk.isDamage()) {
                    end = walk.toOffset();
                }
                if (walk.position() + walk.size() >= length) {
                    break;
                }
            }
        } finally {
            view.unpin();
        }
        return end;
    }

    private void note(Kind kind, String block, String what) {
        store.findings().begin(FindingKey.of(kind, subject, block), block + ": " + what);
    }

    // ---- the chain

    private void join(List<Found> candidates, long start) throws IOException {
        for (int i = 0; i < candidates.size(); i++) {
            Found candidate = candidates.get(i);
            if (!segments.isEmpty() && candidate.baseOffset() < end()) {
                note(
                        Kind.UNKNOWN_CONTENT,
                        candidate.name(),
                        "it overlaps the segment before it; it is kept, not served: move it away"
                                + " when nothing of it is needed");
                continue;
            }
            if (followsLostSegment(candidate, start) && !hasSealed(candidates, i)) {
                drop(candidates, i);
                return;
            }
            if (!segments.isEmpty() && candidate.baseOffset() > end()) {
                damage.add(
                        new DamagedOffsets(end(), candidate.baseOffset(), "a segment is missing"));
            }
            if (candidate instanceof Sealed sealed) {
                segments.add(sealed.segment());
            } else if (!take((UnsealedSegment) candidate, candidates, i + 1)) {
                return;
            }
        }
    }

    /**
     * Whether the segment before an unsealed one was never sealed and lost even its first batch, so
     * that nothing in the unsealed one was acknowledged (O2). All that is left of such a segment is
     * a block without a valid batch that was reserved between the two segments around a gap. A mark
     * beyond RESERVED was written after a force, and therefore after the seal of the segment
     * before.
     */
    private boolean followsLostSegment(Found candidate, long start) {
        LogSegment before = segments.isEmpty() ? null : segments.get(segments.size() - 1);
        if (candidate.baseOffset() <= (before == null ? start : end())
                || !(candidate instanceof UnsealedSegment unsealed)
                || unsealed.mark.state() != SegmentState.RESERVED) {
            return false;
        }
        long after = before == null ? -1 : before.epoch();
        long until = unsealed.epoch();
        return rejected.stream()
                .mapToLong(block -> block.mark().epoch())
                .anyMatch(epoch -> epoch > after && epoch < until);
    }

    private static boolean hasSealed(List<Found> candidates, int from) {
        return candidates.stream().skip(from).anyMatch(each -> each instanceof Sealed);
    }

    /**
     * Drops unsealed segments, newest first: a crash in between leaves a gap, which the next
     * recovery finds, and drops the rest.
     */
    private void drop(List<Found> candidates, int from) throws IOException {
        for (int i = candidates.size() - 1; i >= from; i--) {
            UnsealedSegment drop = (UnsealedSegment) candidates.get(i);
            unproven += drop.cut();
            drop.block.delete();
        }
    }

    /** Adds an unsealed segment; false when its successors were dropped. */
    private boolean take(UnsealedSegment unsealed, List<Found> candidates, int successor)
            throws IOException {
        damage.addAll(unsealed.damage);
        accepted += unsealed.acceptedBytes();
        unproven += unsealed.unprovenBytes();
        boolean last = successor == candidates.size();
        boolean continued = !last && candidates.get(successor).baseOffset() == unsealed.endOffset();
        if (!last && !continued && !hasSealed(candidates, successor)) {
            drop(candidates, successor);
            last = true;
        }
        if (last && store.cleanClose().wasFound() && unsealed.isSettled()) {
            active = unsealed.continueSettled();
            segments.add(active);
            return false;
        }
        // First: making the rest durable may take the last of the space.
        long epoch = last ? store.nextEpoch() : -1;
        unsealed.makeDurable();
        if (last) {
            active = unsealed.continueWriting(epoch);
            segments.add(active);
            return false;
        }
        segments.add(unsealed.seal(store.clock().time()));
        return true;
    }

    /** Seals the segment that is being written, so that the log goes on in a new one. */
    void endActive() throws IOException {
        active.roll(end());
        active.seal(store.clock().time());
        active = null;
    }

    // ---- what is left

    List<LogSegment> segments() {
        return segments;
    }

    /** Returns the segment that appends go on in; null when there is none. */
    LogSegment active() {
        return active;
    }

    /** Returns the offset after the last batch; 0 when there is no segment. */
    long end() {
        return segments.isEmpty() ? 0 : endOf(segments.get(segments.size() - 1));
    }

    private static long endOf(LogSegment segment) {
        return segment.offsetOf(segment.end());
    }

    /** Returns the ranges of offsets between and in the segments that are damaged. */
    List<DamagedRange> damage() {
        return damage;
    }

    /** Returns how many bytes above a mark were accepted. */
    long acceptedBytes() {
        return accepted;
    }

    /** Returns how many bytes that may have been a valid batch were cut. */
    long unprovenBytes() {
        return unproven;
    }
}
