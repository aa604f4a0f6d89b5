package io.firn.follow;

import io.firn.background.Attempts;
import io.firn.background.FailedSubjects;
import io.firn.findings.FindingKey;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * The blocks and marks that a follower finds. Where a medium fails, what was found before counts.
 * Not thread-safe.
 */
public final class FollowedBlocks {
    private final FailedSubjects<TierState> failingTiers;
    private final FailedSubjects<Block> failingBlocks;
    private final FollowedSegments segments;

    /**
     * Creates it.
     *
     * @param attempts reports tiers and blocks whose medium fails
     * @param segments knows which blocks were found before
     */
    public FollowedBlocks(Attempts attempts, FollowedSegments segments) {
        this.failingTiers = new FailedSubjects<>(attempts);
        this.failingBlocks = new FailedSubjects<>(attempts);
        this.segments = segments;
    }

    /** Whether the medium of a tier or a block failed when it was last looked at. */
    public boolean isAnyFailing() {
        return failingTiers.isAny() || failingBlocks.isAny();
    }

    /** Forgets blocks that are not found any more. */
    public void retain(Set<Block> found) {
        failingBlocks.forget(each -> !found.contains(each));
    }

    /**
     * Returns the blocks in a tier.
     *
     * @param log whose blocks are wanted; null for those of all
     * @param throwing whether a failure is thrown rather than noted
     */
    public List<Block> blocksIn(TierState tier, SegmentedLog log, boolean throwing)
            throws IOException {
        if (!failingTiers.isLeftAlone(tier)) {
            try {
                List<Block> all =
                        log == null
                                ? tier.tier().list()
                                : tier.tier().list(log.topic().id(), log.index());
                failingTiers.onSuccess(tier);
                return all;
            } catch (IOException | RuntimeException | InternalError e) {
                if (throwing) {
                    throw e;
                }
                tier.noteError(e);
                failingTiers.onFailure(tier, FindingKey.job(tier.subject(), "listing"), e);
            }
        }
        return segments.blocks().stream()
                .filter(block -> isIn(block, tier) && (log == null || isOf(block, log)))
                .toList();
    }

    @SuppressWarnings("ReferenceEquality") // this very tier
    private static boolean isIn(Block block, TierState tier) {
        return block.tier() == tier.tier();
    }

    private static boolean isOf(Block block, SegmentedLog log) {
        Mark mark = block.mark();
        return mark.topicId().equals(log.topic().id()) && mark.partition() == log.index();
    }

    /**
     * Returns a block's mark as it is now, or as it was when it could be read.
     *
     * @param throwing whether a failure is thrown rather than noted
     * @return null when it was never intact
     */
    public Mark markOf(Block block, TierState tier, boolean throwing) throws IOException {
        if (!failingBlocks.isLeftAlone(block)) {
            try {
                Mark mark = block.refreshMark();
                failingBlocks.onSuccess(block);
                return mark;
            } catch (IOException | RuntimeException | InternalError e) {
                if (throwing) {
                    throw e;
                }
                tier.noteError(e);
                failingBlocks.onFailure(
                        block, FindingKey.job(tier.subject(), "the mark of " + block.name()), e);
            }
        }
        return block.mark();
    }
}
