package io.firn.recovery;

import io.firn.recovery.PartitionRecovery.SegmentSelector;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Finds segments that are in two tiers, because a crash came after a copy was published and before
 * its source was freed, and keeps one of them (O6). If both are equal, in marks and bytes, the one
 * in the hotter tier is deleted, durably, before the partition becomes visible. If they differ, it
 * is unknown which is right: both are kept. Segments of different generations are no copies of each
 * other; {@link SegmentSelector} decides about them.
 */
final class TwinSegments {
    private static final int PIECE = 64 * 1024;

    private static final Comparator<Block> BY_BASE_AND_GENERATION =
            Comparator.comparingLong((Block block) -> block.mark().baseOffset())
                    .thenComparing(block -> block.mark().generation(), Comparator.reverseOrder());

    private TwinSegments() {}

    /**
     * Keeps one of each.
     *
     * @param sealed hotter tiers first
     * @return the segments that are left, by base offset; where two differ, the one of the higher
     *     generation first, or the hotter
     */
    static List<Block> drop(List<Block> sealed) throws IOException {
        List<Block> sorted = new ArrayList<>(sealed);
        sorted.sort(BY_BASE_AND_GENERATION);
        List<Block> kept = new ArrayList<>();
        for (Block block : sorted) {
            Block before = kept.isEmpty() ? null : kept.get(kept.size() - 1);
            if (before != null && areTwins(before, block)) {
                before.delete();
                kept.remove(kept.size() - 1);
            }
            kept.add(block);
        }
        return kept;
    }

    private static boolean areTwins(Block hotter, Block colder) throws IOException {
        Mark mine = hotter.mark();
        Mark other = colder.mark();
        return mine.baseOffset() == other.baseOffset()
                && mine.epoch() == other.epoch()
                && mine.position() == other.position()
                && mine.offset() == other.offset()
                && mine.generation() == other.generation()
                && colder.capacity() == other.position()
                && haveSameBytes(hotter, colder, mine.position());
    }

    private static boolean haveSameBytes(Block hotter, Block colder, int length)
            throws IOException {
        byte[] mine = new byte[PIECE];
        byte[] other = new byte[PIECE];
        for (int at = 0; at < length; at += PIECE) {
            int wanted = Math.min(PIECE, length - at);
            if (hotter.read(at, mine, 0, wanted) != wanted
                    || colder.read(at, other, 0, wanted) != wanted
                    || !Arrays.equals(mine, 0, wanted, other, 0, wanted)) {
                return false;
            }
        }
        return true;
    }
}
