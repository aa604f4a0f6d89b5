package io.firn.follow;

import io.firn.background.FailedSubjects;
import io.firn.log.SegmentedLog;
import io.firn.log.TierState;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import java.io.IOException;
import java.util.List;

/**
 * The blocks and marks that a follower finds. Where a medium fails, what was found before counts.
 * Not thread-safe.
 */
public final class FollowedBlocks {
    private final FailedSubjects trouble;
    private final FollowedSegments segments;

    /**
     * Creates it.
     *
     * @param trouble notes tiers and blocks whose medium fails
     * @param segments knows which blocks were found before
     */
    public FollowedBlocks(FailedSubjects trouble, FollowedSegments segments) {
        this.trouble = trouble;
        this.segments = segments;
    }

    /**
     * Returns the blocks in a tier.
     *
     * @param log whose blocks are wanted; null for those of all
     * @param throwing whether a failure is thrown rather than noted
     */
    public List<Block> blocksIn(TierState tier, SegmentedLog log, boolean throwing)
            throws IOException {
        if (!trouble.isLeftAlone(tier)) {
            try {
                List<Block> all =
                        log == null
                                ? tier.tier().list()
                                : tier.tier().list(log.topic().id(), log.index());
                trouble.onSuccess(tier);
                return all;
            } catch (IOException | RuntimeException | InternalError e) {
                if (throwing) {
                    throw e;
                }
                tier.noteError(e);
                trouble.onFailure(tier, "tier " + tier + " could not be listed", e);
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
        if (!trouble.isLeftAlone(block)) {
            try {
                Mark mark = block.refreshMark();
                trouble.onSuccess(block);
                return mark;
            } catch (IOException | RuntimeException | InternalError e) {
                if (throwing) {
                    throw e;
                }
                tier.noteError(e);
                trouble.onFailure(block, block.name() + ": its mark could not be read", e);
            }
        }
        return block.mark();
    }
}
