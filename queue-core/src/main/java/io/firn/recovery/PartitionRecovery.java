package io.firn.recovery;

import io.firn.DamagedRange;
import io.firn.log.LogContext;
import io.firn.log.LogSegment;
import io.firn.log.RecoveredPartition;
import io.firn.log.SegmentWalk;
import io.firn.log.TopicContext;
import io.firn.medium.GuardedLog;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.SegmentState;
import io.firn.spi.View;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Brings a partition from what is in the tiers to a state that can be published. The order (rules
 * O1 to O3), each step durable before the next:
 *
 * <ol>
 *   <li>Segments that compaction replaced are dropped (O14), and of a segment that was being moved
 *       one copy is kept.
 *   <li>The valid part of each unsealed segment is found. A successor that does not continue it
 *       contains nothing acknowledged, because acknowledging waits for the seal: the successors are
 *       dropped. If a successor continues it, the seal is completed.
 *   <li>Reserved blocks without a valid first batch are freed, after the previous step: such a
 *       block may be an unsealed segment of which nothing is left, and then it is the only evidence
 *       that what follows it was not acknowledged.
 *   <li>The accepted bytes are stored and forced again, and the mark is rewritten with a fresh
 *       epoch.
 *   <li>What the batches say of their producers is brought from the checkpoint to the end.
 * </ol>
 *
 * After a crash at any point, recovery finds the same state again or a later one.
 */
public final class PartitionRecovery {
    private static final GuardedLog LOG = GuardedLog.get();

    private final TopicContext topic;
    private final int partition;
    private final BatchReplay replay;
    private final LogContext store;
    private final List<LogSegment> segments = new ArrayList<>();

    /** Reserved blocks without a valid first batch. */
    private final List<Block> rejected = new ArrayList<>();

    private final List<DamagedRange> damage = new ArrayList<>();
    private LogSegment active;
    private long accepted;
    private long unproven;

    /**
     * Creates the recovery of a partition.
     *
     * @param replay is told of the batches that are left
     */
    public PartitionRecovery(TopicContext topic, int partition, BatchReplay replay) {
        this.topic = topic;
        this.partition = partition;
        this.replay = replay;
        this.store = topic.store();
    }

    public RecoveredPartition recover(List<Block> found) throws IOException {
        RecoveryEvent event = new RecoveryEvent();
        event.begin();
        long start = topic.files().readLogStart(partition);
        chain(candidates(found), start);
        for (Block block : rejected) {
            block.delete();
        }
        long known = Math.max(0, replay.restore(start));
        long end = segments.isEmpty() ? 0 : endOf(segments.get(segments.size() - 1));
        long first = segments.isEmpty() ? Long.MAX_VALUE : segments.get(0).baseOffset();
        if (first != Long.MAX_VALUE && first > start) {
            damage.add(new DamagedRange(start, first, "the segments before are missing"));
        }
        if (start == 0) {
            String why = whyStartFileIsExpected(first, known);
            if (why != null) {
                topic.files().noteMissingLogStart(partition, why);
            }
        }
        long next = Math.max(Math.max(start, end), known);
        if (known > Math.max(end, start)) {
            damage.add(
                    new DamagedRange(
                            Math.max(end, start), known, "the segments after it are missing"));
        }
        if (next > end && active != null) {
            // Offsets must not go back, and a segment has no gaps: continue in a new one.
            endActive(end);
        }
        replay.replay(segments);
        List<DamagedRange> relevant = new ArrayList<>();
        for (DamagedRange range : damage) {
            if (range.toOffset() > start) {
                relevant.add(range);
                LOG.log(
                        System.Logger.Level.ERROR,
                        "{0}-{1}: offsets [{2}, {3}) are damaged: {4}",
                        topic.name(),
                        partition,
                        Long.toString(range.fromOffset()),
                        Long.toString(range.toOffset()),
                        range.reason());
            }
        }
        report(event, next, relevant.size());
        return new RecoveredPartition(partition, segments, active, start, next, next, relevant);
    }

    /**
     * Before the first segment is deleted there is a file with the log start. A partition whose
     * first segment is there may be from a release that wrote none before.
     */
    private String whyStartFileIsExpected(long first, long known) {
        if (segments.isEmpty()) {
            return known > 0 ? "there were records up to offset " + known : null;
        }
        return first > 0 ? "the first segment begins at offset " + first : null;
    }

    private List<Object> candidates(List<Block> found) throws IOException {
        List<Object> usable = new ArrayList<>();
        List<Block> sealed = new ArrayList<>();
        for (Block block : found) {
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
        ReplacedSegments sorted = ReplacedSegments.among(sealed);
        for (Block each : sorted.replaced()) {
            each.delete();
        }
        sorted.putAside().forEach((each, why) -> store.findings().add(each.name() + ": " + why));
        for (Block block : TwinSegments.drop(sorted.current())) {
            usable.add(sealed(block));
        }
        rejectTorn(usable);
        usable.sort(Comparator.comparingLong(PartitionRecovery::baseOf));
        return usable;
    }

    /**
     * Rejects reserved blocks that begin with an offset which an older segment contains. The first
     * batch has the block's epoch, so it was written here, but not wholly: neither its CRC nor its
     * epoch covers its offset, and the word with the offset is older. Nothing in such a block was
     * acknowledged, since nothing of it was forced.
     */
    private void rejectTorn(List<Object> usable) {
        List<Object> all = List.copyOf(usable);
        for (Object each : all) {
            if (each instanceof UnsealedSegment unsealed
                    && unsealed.mark.state() == SegmentState.RESERVED
                    && all.stream().anyMatch(older -> isOlderWithOffsetOf(unsealed, older))) {
                usable.remove(each);
                rejected.add(unsealed.block);
                unproven += unsealed.cut();
            }
        }
    }

    private static boolean isOlderWithOffsetOf(UnsealedSegment unsealed, Object older) {
        if (older instanceof UnsealedSegment other) {
            return other.mark.epoch() < unsealed.mark.epoch()
                    && other.cutOffset() > unsealed.baseOffset;
        }
        LogSegment sealed = (LogSegment) older;
        return sealed.epoch() < unsealed.mark.epoch() && endOf(sealed) > unsealed.baseOffset;
    }

    /** Adds a sealed segment; if its mark was lost, its end is determined from the batches. */
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
        store.findings().add(block.name() + ": its mark was lost and is recreated");
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
                    new SegmentWalk(view.buffer(), 0, end, length, Long.MAX_VALUE, lastEpoch);
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

    private void chain(List<Object> candidates, long start) throws IOException {
        for (int i = 0; i < candidates.size(); i++) {
            Object candidate = candidates.get(i);
            if (!segments.isEmpty()
                    && baseOf(candidate) < endOf(segments.get(segments.size() - 1))) {
                store.findings()
                        .add(
                                nameOf(candidate)
                                        + ": overlaps the segment before it; kept, not served");
                continue;
            }
            if (followsLostSegment(candidate, start) && !hasSealed(candidates, i)) {
                drop(candidates, i);
                return;
            }
            if (!segments.isEmpty()) {
                long end = endOf(segments.get(segments.size() - 1));
                if (baseOf(candidate) > end) {
                    damage.add(new DamagedRange(end, baseOf(candidate), "a segment is missing"));
                }
            }
            if (candidate instanceof LogSegment sealed) {
                segments.add(sealed);
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
    private boolean followsLostSegment(Object candidate, long start) {
        LogSegment before = segments.isEmpty() ? null : segments.get(segments.size() - 1);
        long end = before == null ? start : endOf(before);
        if (baseOf(candidate) <= end
                || !(candidate instanceof UnsealedSegment unsealed)
                || unsealed.mark.state() != SegmentState.RESERVED) {
            return false;
        }
        long after = before == null ? -1 : before.epoch();
        long until = unsealed.mark.epoch();
        return rejected.stream()
                .mapToLong(block -> block.mark().epoch())
                .anyMatch(epoch -> epoch > after && epoch < until);
    }

    private static boolean hasSealed(List<Object> candidates, int from) {
        return candidates.stream().skip(from).anyMatch(each -> each instanceof LogSegment);
    }

    /**
     * Newest first: a crash in between leaves a gap, which the next recovery finds, and drops the
     * rest.
     */
    private void drop(List<Object> candidates, int from) throws IOException {
        for (int i = candidates.size() - 1; i >= from; i--) {
            UnsealedSegment drop = (UnsealedSegment) candidates.get(i);
            unproven += drop.cut();
            drop.block.delete();
        }
    }

    /** Adds an unsealed segment; false when its successors were dropped. */
    private boolean take(UnsealedSegment unsealed, List<Object> candidates, int successor)
            throws IOException {
        damage.addAll(unsealed.damage);
        accepted += unsealed.acceptedBytes();
        unproven += unsealed.unprovenBytes();
        boolean last = successor == candidates.size();
        boolean continued = !last && baseOf(candidates.get(successor)) == unsealed.cutOffset();
        if (!last && !continued && !hasSealed(candidates, successor)) {
            drop(candidates, successor);
            last = true;
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

    private void endActive(long end) throws IOException {
        active.roll(end);
        active.seal(store.clock().time());
        active = null;
    }

    private void report(RecoveryEvent event, long next, int damaged) {
        System.Logger.Level level =
                unproven > 0 ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG;
        LOG.log(
                level,
                "{0}-{1}: next offset {2}; {3} bytes accepted above the mark, {4} unproven bytes cut",
                topic.name(),
                partition,
                Long.toString(next),
                accepted,
                unproven);
        if (event.shouldCommit()) {
            event.partition = topic.name() + "-" + partition;
            event.nextOffset = next;
            event.acceptedBytes = accepted;
            event.unprovenBytes = unproven;
            event.damagedRanges = damaged;
            event.commit();
        }
    }

    private static long endOf(LogSegment segment) {
        return segment.offsetOf(segment.end());
    }

    private static long baseOf(Object candidate) {
        return candidate instanceof UnsealedSegment unsealed
                ? unsealed.baseOffset
                : ((LogSegment) candidate).baseOffset();
    }

    private static String nameOf(Object candidate) {
        return candidate instanceof UnsealedSegment unsealed
                ? unsealed.block.name()
                : candidate.toString();
    }

    /** A partition was recovered at open. */
    @Name("io.firn.Recovery")
    @Label("Recovery")
    @Category("Firn")
    @StackTrace(false)
    static final class RecoveryEvent extends Event {
        @Label("Partition")
        String partition;

        @Label("Next offset")
        long nextOffset;

        @Label("Bytes accepted after the mark")
        @DataAmount
        long acceptedBytes;

        @Label("Bytes cut off")
        @DataAmount
        long unprovenBytes;

        @Label("Damaged ranges")
        int damagedRanges;
    }
}
