package io.firn.recovery;

import io.firn.PartitionReader.DamagedRange;
import io.firn.log.DamagedOffsets;
import io.firn.log.LogSegment;
import io.firn.log.RecoveredPartition;
import io.firn.log.TopicContext;
import io.firn.medium.GuardedLog;
import io.firn.spi.Block;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    private final SegmentSelector selector;
    private final BatchReplay replay;

    /**
     * Creates the recovery of a partition.
     *
     * @param selector decides where several segments have the same offsets
     * @param replay is told of the batches that are left
     */
    public PartitionRecovery(
            TopicContext topic, int partition, SegmentSelector selector, BatchReplay replay) {
        this.topic = topic;
        this.partition = partition;
        this.selector = selector;
        this.replay = replay;
    }

    /** Recovers the partition from the blocks that the tiers have of it. */
    public RecoveredPartition recover(List<Block> blocks) throws IOException {
        RecoveryEvent event = new RecoveryEvent();
        event.begin();
        long start = topic.files().readLogStart(partition);
        SegmentChain chain = SegmentChain.recover(topic, partition, selector, blocks, start);
        long known = Math.max(0, replay.restore(start));
        long next = nextOffset(chain, start, known);
        replay.replay(chain.segments());
        List<DamagedRange> damage = damageFrom(start, chain);
        report(event, chain, next, damage.size());
        return new RecoveredPartition(
                partition, chain.segments(), chain.active(), start, next, next, damage);
    }

    /**
     * Returns the offset of the next record, which is not below one that was assigned; adds what is
     * missing around the segments to their damage.
     *
     * @param known up to which offset there were records, as the checkpoint says
     */
    private long nextOffset(SegmentChain chain, long start, long known) throws IOException {
        long end = chain.end();
        long first = chain.segments().isEmpty() ? start : chain.segments().get(0).baseOffset();
        if (first > start) {
            chain.damage().add(new DamagedOffsets(start, first, "the segments before are missing"));
        }
        if (start == 0) {
            String why = whyStartFileIsExpected(chain, known);
            if (why != null) {
                topic.files().noteMissingLogStart(partition, why);
            }
        }
        long next = Math.max(Math.max(start, end), known);
        if (known > Math.max(end, start)) {
            chain.damage()
                    .add(
                            new DamagedOffsets(
                                    Math.max(end, start),
                                    known,
                                    "the segments after it are missing"));
        }
        if (next > end && chain.active() != null) {
            // Offsets must not go back, and a segment has no gaps: continue in a new one.
            chain.endActive();
        }
        return next;
    }

    /**
     * Before the first segment is deleted there is a file with the log start. A partition whose
     * first segment is there may be from a release that wrote none before.
     */
    private static String whyStartFileIsExpected(SegmentChain chain, long known) {
        if (chain.segments().isEmpty()) {
            return known > 0 ? "there were records up to offset " + known : null;
        }
        long first = chain.segments().get(0).baseOffset();
        return first > 0 ? "the first segment begins at offset " + first : null;
    }

    /** Returns the damage of which something is at or above the log start. */
    private static List<DamagedRange> damageFrom(long start, SegmentChain chain) {
        List<DamagedRange> relevant = new ArrayList<>();
        for (DamagedRange range : chain.damage()) {
            if (range.toOffset() > start) {
                relevant.add(range);
            }
        }
        return relevant;
    }

    private void report(RecoveryEvent event, SegmentChain chain, long next, int damaged) {
        long unproven = chain.unprovenBytes();
        System.Logger.Level level =
                unproven > 0 ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG;
        LOG.log(
                level,
                "{0}-{1}: next offset {2}; {3} bytes accepted above the mark, {4} unproven bytes cut",
                topic.name(),
                partition,
                Long.toString(next),
                chain.acceptedBytes(),
                unproven);
        if (event.shouldCommit()) {
            event.partition = topic.name() + "-" + partition;
            event.nextOffset = next;
            event.acceptedBytes = chain.acceptedBytes();
            event.unprovenBytes = unproven;
            event.damagedRanges = damaged;
            event.commit();
        }
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

    /** Finds out, when a partition is recovered, what its batches say besides their records. */
    public interface BatchReplay {
        /**
         * Reads what was known when the partition was open before.
         *
         * @param logStart the offset below which nothing is needed
         * @return the offset as of which that was; −1 when nothing is known
         */
        long restore(long logStart) throws IOException;

        /** Reads all batches from that offset on, including those below the log start. */
        void replay(List<LogSegment> segments) throws IOException;
    }

    /** Decides which of a partition's segments are served where several have the same offsets. */
    @FunctionalInterface
    public interface SegmentSelector {
        /**
         * Looks at the segments of a partition; changes nothing.
         *
         * @param blocks with marks; those that are not sealed are served
         */
        Selection select(List<Block> blocks) throws IOException;

        /**
         * What was decided.
         *
         * @param current what is served, in the order in which it was given
         * @param replaced what others replace as a whole, so that recovery deletes it
         * @param putAside what is kept and not served, and why
         */
        record Selection(List<Block> current, List<Block> replaced, Map<Block, String> putAside) {}
    }
}
