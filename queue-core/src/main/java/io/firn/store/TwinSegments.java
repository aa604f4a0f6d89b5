package io.firn.store;

import io.firn.spi.Mark;
import io.firn.spi.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Finds segments that lie in two tiers, because a crash came between the publishing of a copy and
 * the freeing of its source, and leaves one (O6). When both say the same and hold the same bytes
 * the hotter goes, durably, before anybody sees the partition. When they differ, nobody can tell
 * which is right: both are kept.
 */
final class TwinSegments {
    private static final int PIECE = 64 * 1024;

    private TwinSegments() {}

    /**
     * Leaves one of each.
     *
     * @param sealed hotter tiers first
     * @return without those that were deleted, by base offset, hotter first where two differ
     */
    static List<Segment> drop(List<Segment> sealed) throws IOException {
        List<Segment> sorted = new ArrayList<>(sealed);
        sorted.sort(Comparator.comparingLong(block -> block.mark().baseOffset()));
        List<Segment> kept = new ArrayList<>();
        for (Segment block : sorted) {
            Segment before = kept.isEmpty() ? null : kept.get(kept.size() - 1);
            if (before != null && areTwins(before, block)) {
                before.delete();
                kept.remove(kept.size() - 1);
            }
            kept.add(block);
        }
        return kept;
    }

    private static boolean areTwins(Segment hotter, Segment colder) throws IOException {
        Mark mine = hotter.mark();
        Mark other = colder.mark();
        return mine.baseOffset() == other.baseOffset()
                && mine.epoch() == other.epoch()
                && mine.position() == other.position()
                && mine.offset() == other.offset()
                && colder.capacity() == other.position()
                && haveSameBytes(hotter, colder, mine.position());
    }

    private static boolean haveSameBytes(Segment hotter, Segment colder, int length)
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
