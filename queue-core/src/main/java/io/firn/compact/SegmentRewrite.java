package io.firn.compact;

import io.firn.StoreFullException;
import io.firn.log.LogSegment;
import io.firn.log.LogSegment.Lifecycle;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.medium.GuardedLog;
import io.firn.move.CheckedCopy.Pace;
import io.firn.spi.Block;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import io.firn.spi.View;
import io.firn.upkeep.PartitionUpkeep;
import java.io.IOException;
import java.util.List;

/**
 * Replaces neighbouring sealed segments of one tier by one segment without their superseded
 * records, on the caller's thread and under no lock (O14). The order:
 *
 * <ol>
 *   <li>A checkpoint of the producers covers the segments, durably: no batch need stay for its
 *       sequence numbers.
 *   <li>All segments become MOVING, or nothing is done.
 *   <li>The rewritten segment is written to a place that recovery ignores, forced, and then
 *       compared with what was written.
 *   <li>All MOVING segments become PUBLISHING, unless one is DOOMED by then.
 *   <li>Publish, durably. After a crash from here on, recovery finds the rewritten segment, and
 *       drops those inside its range.
 *   <li>Readers: one new segment takes the place of all in the list. Positions changed, so readers
 *       look for their offset again.
 *   <li>The old blocks are freed when no reader pins their bytes.
 * </ol>
 *
 * <p>A single segment that loses nothing only gets a new mark; several are merged all the same.
 * After a failure everything stays as it was.
 */
final class SegmentRewrite {
    private static final GuardedLog LOG = GuardedLog.get();

    private final SegmentedLog log;
    private final PartitionUpkeep upkeep;
    private final List<LogSegment> sources;
    private final BatchFilter filter;
    private final Pace pace;
    private final TierState tier;
    private long compactedTo;
    private LogSegment made;
    private String skipped;
    private RewriteSource.UnreadableException unreadable;

    /**
     * A rewrite of segments.
     *
     * @param sources neighbours in one tier, in order, sealed and finished
     */
    SegmentRewrite(
            SegmentedLog log,
            PartitionUpkeep upkeep,
            List<LogSegment> sources,
            BatchFilter filter,
            Pace pace) {
        this.log = log;
        this.upkeep = upkeep;
        this.sources = sources;
        this.filter = filter;
        this.pace = pace;
        this.tier = log.store().stateOf(sources.get(0).block().tier());
    }

    /** Returns why nothing was done; null when something was. */
    String skipped() {
        return skipped;
    }

    /** Returns the segment because of whose bytes nothing was done; null for none. */
    RewriteSource.UnreadableException unreadable() {
        return unreadable;
    }

    /** Returns the segment that took the place of the others; null when they stay. */
    LogSegment made() {
        return made;
    }

    /**
     * Makes the rewrite.
     *
     * @param knownTo the offset up to which the filter knows all keys that may be in segments above
     * @return false when it was skipped; {@link #skipped} then says why
     */
    boolean run(long knownTo) {
        compactedTo = knownTo;
        try {
            if (!upkeep.checkpoints().covers(last())) { // O14, step 1
                return skip("its producers could not be recorded");
            }
        } catch (IOException e) {
            return skip("its producers could not be recorded: " + e.getMessage());
        }
        if (!enterAll(Lifecycle.SEALED, Lifecycle.MOVING)) { // step 2
            return skip("it is being moved or deleted, or was moved just now");
        }
        tier.onMoveBegins();
        try {
            return isEachAtRest() ? rewrite() : skip("it was moved just now");
        } finally {
            sources.forEach(LogSegment::giveUp);
            tier.onMoveEnds();
        }
    }

    private boolean skip(String why) {
        skipped = why;
        return false;
    }

    @SuppressWarnings("ReferenceEquality") // this very tier
    private boolean isEachAtRest() {
        return sources.stream().allMatch(each -> each.block().tier() == tier.tier());
    }

    private boolean rewrite() {
        RewriteSource source = new RewriteSource(sources, filter, pace);
        BlockCopy copy = null;
        boolean published = false;
        try {
            boolean loses = source.losesAnything(tier.tier().maxSegmentBytes());
            if (!pace.isWanted()) {
                return skip("cancelled");
            }
            if (!loses && sources.size() == 1) {
                return markOnly();
            }
            int most = source.mostBytes(tier.tier().maxSegmentBytes());
            try {
                copy = begin(most);
            } catch (StoreFullException e) {
                most = source.leastBytes(); // it takes another look at all of it
                if (most < 0) {
                    return skip("cancelled");
                }
                copy = begin(most);
            }
            RewriteTarget target =
                    new RewriteTarget(
                            copy,
                            first().baseOffset(),
                            most,
                            "the rewritten " + first() + " in tier " + tier);
            if (!source.copyTo(target) || !target.finish(pace)) { // step 3
                return skip("cancelled");
            }
            if (!enterAll(Lifecycle.MOVING, Lifecycle.PUBLISHING)) { // step 4
                return skip("it is being deleted");
            }
            Mark mark = markOf(target.size()).withMaxTimestamp(target.maxTimestamp());
            Block block = copy.publish(mark, target.indexBytes(), target.timeBytes()); // step 5
            published = true;
            tier.onSuccess();
            replaceBy(block); // steps 6 and 7
            return true;
        } catch (RewriteSource.UnreadableException e) {
            unreadable = e;
            return skip(e.getMessage());
        } catch (StoreFullException e) {
            tier.noteError(e);
            return skip("no room: " + e.getMessage());
        } catch (IOException | InternalError e) {
            if (sources.stream().anyMatch(LogSegment::isDoomed)) {
                return skip("it is being deleted");
            }
            tier.onFailure(e);
            LOG.log(System.Logger.Level.DEBUG, log + ": compaction of " + first() + " failed", e);
            return skip("the medium failed: " + e.getMessage());
        } finally {
            if (copy != null && !published) {
                upkeep.releases().free(null, tier.tier(), copy::abandon);
            }
        }
    }

    private BlockCopy begin(int most) throws IOException {
        return tier.beginCopy(markOf(most), log.store().nextEpoch());
    }

    /** Nothing in it goes: it is only noted up to where all keys were known. */
    private boolean markOnly() throws IOException {
        if (!enterAll(Lifecycle.MOVING, Lifecycle.PUBLISHING)) {
            return skip("it is being deleted");
        }
        LogSegment only = first();
        only.block().rewriteMark(markOf(only.written()));
        return true;
    }

    private void replaceBy(Block block) {
        made =
                new LogSegment(
                        block, first().baseOffset(), block.mark().position(), last().endOffset());
        log.replaceSegments(sources, made);
        for (LogSegment each : sources) {
            each.enter(Lifecycle.PUBLISHING, Lifecycle.DOOMED);
            View view = each.detachView();
            Block old = each.block();
            upkeep.releases().free(view, old.tier(), old::delete);
        }
    }

    private Mark markOf(int position) {
        int generation = 0;
        long sealTimeMs = -1;
        for (LogSegment each : sources) {
            Mark mark = each.block().mark();
            generation = Math.max(generation, mark.generation());
            sealTimeMs = Math.max(sealTimeMs, mark.sealTimeMs());
        }
        return last().block()
                .mark()
                .sealed(
                        last().epoch(),
                        first().baseOffset(),
                        position,
                        last().endOffset(),
                        sealTimeMs)
                .inGeneration( // also if it is to come: the clock may be behind for a while
                        generation + 1, compactedTo);
    }

    private LogSegment first() {
        return sources.get(0);
    }

    private LogSegment last() {
        return sources.get(sources.size() - 1);
    }

    /** Changes the state of all segments, or of none. */
    private boolean enterAll(Lifecycle from, Lifecycle to) {
        for (int i = 0; i < sources.size(); i++) {
            if (!sources.get(i).enter(from, to)) {
                for (LogSegment entered : sources.subList(0, i)) {
                    entered.enter(to, from);
                }
                return false;
            }
        }
        return true;
    }
}
