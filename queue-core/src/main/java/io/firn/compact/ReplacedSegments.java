package io.firn.compact;

import io.firn.recovery.PartitionRecovery.SegmentSelector;
import io.firn.recovery.SegmentChain;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds sealed segments that compaction has replaced, because a crash came after the rewritten
 * segment was published and before all of its sources were freed (O14), and a broken rewritten
 * segment whose sources are still there.
 *
 * <p>A rewritten segment is whole if it has all bytes that its mark says. The bytes differ from
 * those of its sources, so there is nothing to compare. What lies in the range of a whole segment
 * of a higher generation is replaced, whichever of the sources are left, and in whatever tier. A
 * rewritten segment that is not whole replaces nothing for good: if segments of lower generations
 * still cover its range, they are used, and it is put aside; otherwise it is used as far as it
 * goes, and they are put aside. What is put aside is kept.
 */
public final class ReplacedSegments {
    private final List<Block> replaced = new ArrayList<>();
    private final Map<Block, String> putAside = new LinkedHashMap<>();

    /** A block with its range. */
    private record Range(Block block, long from, long to) {
        static Range of(Block block) throws IOException {
            Mark mark = block.mark();
            long to = mark.offset();
            if (to < 0) {
                int length = Math.min(mark.position(), block.capacity());
                to = SegmentChain.endByBatches(block, length, false);
            }
            return new Range(block, mark.baseOffset(), to);
        }

        int generation() {
            return block.mark().generation();
        }

        boolean isWhole() {
            Mark mark = block.mark();
            return mark.offset() >= 0 && block.capacity() == mark.position();
        }

        String describe() {
            Mark mark = block.mark();
            return mark.offset() < 0
                    ? "a rewritten segment whose mark is lost"
                    : "a rewritten segment of "
                            + mark.position()
                            + " bytes, of which "
                            + block.capacity()
                            + " are there";
        }

        /** Whether it is what is, or was, made of the other one. */
        boolean isMadeOf(Range other) {
            return generation() > other.generation() && from <= other.from && other.to <= to;
        }
    }

    private ReplacedSegments() {}

    /** As {@link SegmentSelector#select}. */
    public static SegmentSelector.Selection among(List<Block> blocks) throws IOException {
        ReplacedSegments found = new ReplacedSegments();
        if (blocks.stream().anyMatch(block -> isSealed(block) && isRewritten(block))) {
            found.sortOutAll(blocks); // rarely
        }
        List<Block> current = new ArrayList<>(blocks);
        current.removeAll(found.replaced);
        current.removeAll(found.putAside.keySet());
        return new SegmentSelector.Selection(current, found.replaced, found.putAside);
    }

    private void sortOutAll(List<Block> blocks) throws IOException {
        List<Range> all = new ArrayList<>();
        for (Block block : blocks) {
            if (isSealed(block)) {
                all.add(Range.of(block));
            }
        }
        all.sort(Comparator.comparingLong(Range::from));
        int first = 0;
        while (first < all.size()) {
            int after = endOfOverlap(all, first);
            if (after - first > 1) {
                sortOut(all.subList(first, after));
            }
            first = after;
        }
    }

    /** A partition may have thousands of segments, of which hardly any overlap. */
    private static int endOfOverlap(List<Range> sorted, int first) {
        long from = sorted.get(first).from;
        long to = sorted.get(first).to;
        int next = first + 1;
        while (next < sorted.size()
                && (sorted.get(next).from < to || sorted.get(next).from == from)) {
            to = Math.max(to, sorted.get(next).to);
            next++;
        }
        return next;
    }

    private void sortOut(List<Range> overlapping) {
        List<Range> left = new ArrayList<>();
        for (Range range : overlapping) {
            if (overlapping.stream().anyMatch(other -> other.isWhole() && other.isMadeOf(range))) {
                replaced.add(range.block);
            } else {
                left.add(range);
            }
        }
        for (Range range : left) {
            if (!range.isWhole() && range.generation() > 0) {
                putAside(range, left);
            }
        }
    }

    private void putAside(Range broken, List<Range> all) {
        List<Range> sources = new ArrayList<>(all);
        sources.removeIf(each -> !broken.isMadeOf(each));
        String what = broken.describe();
        if (areCovering(broken, sources)) {
            putAside.put(broken.block, what + "; kept, not served: those that it replaces are");
            return;
        }
        for (Range source : sources) {
            putAside.put(
                    source.block,
                    "kept, not served: instead, " + broken.block.name() + " is, " + what);
        }
    }

    private static boolean isSealed(Block block) {
        return block.mark().state() == SegmentState.SEALED;
    }

    private static boolean isRewritten(Block block) {
        return block.mark().generation() > 0;
    }

    /** Whether those that are whole have all offsets of a broken segment. */
    private static boolean areCovering(Range broken, List<Range> sources) {
        List<Range> whole = new ArrayList<>(sources);
        whole.removeIf(each -> !each.isWhole());
        whole.sort(Comparator.comparingLong(Range::from));
        long next = broken.from;
        for (Range each : whole) {
            if (each.from > next) {
                return false;
            }
            next = Math.max(next, each.to);
        }
        return next >= broken.to && !whole.isEmpty();
    }
}
