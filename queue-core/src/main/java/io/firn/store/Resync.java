package io.firn.store;

import io.firn.batch.BatchFormat;
import io.firn.batch.BatchVerifier;
import io.firn.batch.RecordFlyweight;
import io.firn.batch.Varint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the batch with which a segment continues after a damaged one.
 *
 * <p>The value of a record may contain whole batches, for example when a log is stored in a log.
 * While the batch around them is valid, they are never looked at. If it is damaged, a valid CRC
 * does not distinguish them from the batches of the segment, so the evidence is considered in this
 * order:
 *
 * <ol>
 *   <li><b>What is left of the damaged batch.</b> It ends where the offset that must come next is
 *       stored, provided that its length leads there (believed only when its own offset is the next
 *       one, since misplaced bytes tell of another batch), or its CRC matches the bytes up to
 *       there, or its records end there. Damage to a single field leaves at least one of the three.
 *       Everything before that place belongs to the damaged batch. If the batch at that place is
 *       damaged as well, the search continues from it.
 *   <li><b>What a run of whole batches leads to.</b> A run is accepted when it ends at the end of
 *       the segment, or at a damaged batch whose own end can be shown as in 1.
 *   <li><b>That nothing contradicts a run.</b> A run between two places where no evidence is left
 *       is accepted too, unless one of these contradicts it: it is exactly the value of a record,
 *       by the length in front of it; none of its epochs can be one of the segment's; its offsets
 *       are out of order with those of the accepted runs; fewer bytes lie between it and such a run
 *       than a batch takes. Of runs that contradict each other, those that cover more bytes are
 *       accepted.
 * </ol>
 *
 * <p>So the next run is preferred to a later one even if only the later one reaches the end: the
 * segment may be damaged in several places. Not thread-safe.
 */
final class Resync {
    /** The most runs that are compared; more matter only if a batch contains more batches. */
    private static final int MAX_RUNS = 1000;

    private static final int EPOCH_MASK = 0x7FFF_FFFF;
    private static final int MAX_VARINT_BYTES = 5;

    private final BatchVerifier verifier = new BatchVerifier();
    private final ByteBuffer memory;
    private final int end;
    private final long endOffset;
    private final int lastEpoch;
    private final List<Run> runs = new ArrayList<>();
    private int firstEpoch;

    /**
     * Creates a search in the bytes of a segment.
     *
     * @param end the position after the last batch
     * @param endOffset the offset there, {@link Long#MAX_VALUE} when it is unknown
     * @param lastEpoch the low bits of the epoch of the last batch, −1 when it is unknown
     */
    Resync(ByteBuffer memory, int end, long endOffset, int lastEpoch) {
        this.memory = memory;
        this.end = end;
        this.endOffset = endOffset;
        this.lastEpoch = lastEpoch;
    }

    /** Batches with valid CRCs and consecutive offsets. */
    private record Run(int from, int to, long base, long next, int batches, Extent behind) {}

    /**
     * Searches after the damaged batch at a position.
     *
     * @param expected the first offset of the damaged batch
     * @return position of the batch to continue with, or −1 when there is none
     */
    int find(int from, long expected) {
        runs.clear();
        firstEpoch = firstEpochBefore(from);
        Extent damaged = new Extent(from, expected);
        if (damaged.endsAtEnd()) {
            return -1;
        }
        int p = from + BatchFormat.HEADER_LENGTH;
        while (p <= end - BatchFormat.HEADER_LENGTH && runs.size() < MAX_RUNS) {
            long base = memory.getLong(p);
            boolean isPossible = base > damaged.offset && base < endOffset;
            if (!isPossible && !damaged.mayEndAt(p)) {
                p++;
                continue;
            }
            boolean isWhole = verifier.check(memory, p, end, base) > 0;
            Run run = isWhole && isPossible ? runAt(p, base) : null;
            long known = damaged.offsetAt(p, base, isWhole);
            if (known >= 0) {
                // Where the offsets of several batches agree, they are not what is wrong.
                if (run != null && (known == base || run.batches > 2 || isCertain(run))) {
                    return p;
                }
                damaged = new Extent(p, known);
                runs.clear();
                if (damaged.endsAtEnd()) {
                    return -1;
                }
                p += BatchFormat.HEADER_LENGTH;
                continue;
            }
            int supported = supportedBy(p, base, run);
            if (supported >= 0) {
                return firstBelieved(supported);
            }
            if (run == null) {
                p++;
                continue;
            }
            int valueEnd = endOfValue(run);
            if (valueEnd > 0) {
                p = valueEnd;
                continue;
            }
            if (p == damaged.byLength) {
                runs.clear(); // what was found before is inside the damaged batch
            }
            boolean certain = isCertain(run);
            if (certain || isEpochPossible(run)) {
                runs.add(run);
            }
            if (certain || (p == damaged.byLength && run.batches > 1)) {
                return firstBelieved(runs.size() - 1);
            }
            p = run.to;
        }
        return firstBelieved(-1);
    }

    /** Whether it leads to the end, possibly with one damaged batch in between. */
    private boolean isCertain(Run run) {
        return run.behind == null
                ? run.next == endOffset || endOffset == Long.MAX_VALUE
                : run.behind.endsAtEnd();
    }

    /** The run that ends at a damaged batch whose end is shown to be at a position; −1 for none. */
    private int supportedBy(int p, long base, Run run) {
        for (int i = 0; i < runs.size(); i++) {
            Extent behind = runs.get(i).behind;
            if (behind != null && base > behind.offset && behind.endsAt(p, base, run != null)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * The first of the accepted runs: those up to a given one, or up to the end, that do not
     * contradict each other and together cover the most bytes.
     */
    private int firstBelieved(int certain) {
        int count = certain < 0 ? runs.size() : certain + 1;
        long[] bytes = new long[count];
        int[] first = new int[count];
        int best = -1;
        for (int i = 0; i < count; i++) {
            Run run = runs.get(i);
            first[i] = run.from;
            for (int before = 0; before < i; before++) {
                if (bytes[before] > bytes[i] && mayFollow(runs.get(before), run)) {
                    bytes[i] = bytes[before];
                    first[i] = first[before];
                }
            }
            bytes[i] += run.to - run.from;
            if (best < 0 || bytes[i] >= bytes[best]) {
                best = i;
            }
        }
        if (certain >= 0) {
            best = certain;
        }
        return best < 0 ? -1 : first[best];
    }

    /** Whether there is room for a damaged batch, and for its offsets, between two runs. */
    private static boolean mayFollow(Run before, Run run) {
        return run.from - before.to >= BatchFormat.HEADER_LENGTH
                && run.base > before.next
                && !before.behind.contradicts(run.from, run.base);
    }

    private Run runAt(int from, long base) {
        int at = from;
        long offset = base;
        int batches = 0;
        while (at < end) {
            int size = verifier.check(memory, at, end, offset);
            if (size < 0 || BatchFormat.nextOffset(memory, at) > endOffset) {
                break;
            }
            offset = BatchFormat.nextOffset(memory, at);
            at += size;
            batches++;
        }
        Extent behind = at < end ? new Extent(at, offset) : null;
        return batches == 0 ? null : new Run(from, at, base, offset, batches, behind);
    }

    /**
     * The end of a record's value that consists of the run and of further whole batches, if any; −1
     * when no length in front of the run fits one.
     */
    private int endOfValue(Run run) {
        int last = run.from - 1;
        if (memory.get(last) <= 0) {
            return -1; // not the last byte of a varint above 0
        }
        int at = run.to;
        int size;
        while (end - at >= BatchFormat.HEADER_LENGTH
                && (size = verifier.check(memory, at, end, memory.getLong(at))) > 0) {
            at += size;
        }
        for (int first = last; first > last - MAX_VARINT_BYTES && first >= 0; first--) {
            if (first < last && memory.get(first) >= 0) {
                return -1;
            }
            if (Varint.get(memory, first) == at - run.from) {
                return at;
            }
        }
        return -1;
    }

    private int firstEpochBefore(int from) {
        boolean known = from > 0 && verifier.check(memory, 0, end, memory.getLong(0)) > 0;
        return known ? memory.getInt(BatchFormat.EPOCH) : -1;
    }

    private boolean isEpochPossible(Run run) {
        for (int at = run.from; at < run.to; at += BatchFormat.size(memory, at)) {
            if (isEpochPossible(memory.getInt(at + BatchFormat.EPOCH))) {
                return true;
            }
        }
        return false;
    }

    /** Epochs only grow within a segment; only their low bits are known. */
    private boolean isEpochPossible(int epoch) {
        int half = EPOCH_MASK / 2;
        int sinceFirst = firstEpoch < 0 ? 0 : (epoch - firstEpoch) & EPOCH_MASK;
        int toLast = lastEpoch < 0 ? 0 : (lastEpoch - epoch) & EPOCH_MASK;
        return epoch >= 0 && sinceFirst <= half && toLast <= half;
    }

    /** A damaged batch, and what is left of it that shows where it ends. */
    private final class Extent {
        final int at;
        final long offset;

        /** The position after it by its length, −1 when that is impossible. */
        final int byLength;

        /**
         * The offset after it, by its last offset and by its count; below its own when that is
         * impossible.
         */
        private final long byLastOffset;

        private final long byCount;

        private int byRecords = -1;
        private long records = -1;

        Extent(int at, long offset) {
            this.at = at;
            this.offset = offset;
            boolean hasHeader = end - at >= BatchFormat.HEADER_LENGTH;
            int length = hasHeader ? memory.getInt(at + BatchFormat.LENGTH) : -1;
            int least = BatchFormat.HEADER_LENGTH - BatchFormat.LENGTH_OVERHEAD;
            int most = end - at - BatchFormat.LENGTH_OVERHEAD;
            // Bytes from another place of the log tell of a batch that is not here.
            boolean isHere = hasHeader && memory.getLong(at) == offset;
            boolean isSane = isHere && length >= least && length <= most;
            this.byLength = isSane ? at + BatchFormat.LENGTH_OVERHEAD + length : -1;
            int count = hasHeader ? memory.getInt(at + BatchFormat.COUNT) : -1;
            this.byCount = count < 1 ? -1 : offset + count;
            int lastOffset = hasHeader ? memory.getInt(at + BatchFormat.LAST_OFFSET_DELTA) : -1;
            if (isSane
                    && lastOffset != count - 1
                    && verifier.hasCrcOf(memory, at, byLength, count - 1)) {
                lastOffset = count - 1; // only this number is damaged
            }
            this.byLastOffset = lastOffset < 0 ? -1 : offset + lastOffset + 1;
        }

        boolean endsAtEnd() {
            return endsAt(end, endOffset, false);
        }

        /** Whether any evidence says that it ends at a position. */
        boolean mayEndAt(int p) {
            return p == byLength || (p == byRecords() && records > 0);
        }

        /**
         * Whether it is shown to end at a position.
         *
         * @param found the offset that is stored there
         * @param isRun whether a whole batch with that offset begins there
         */
        boolean endsAt(int p, long found, boolean isRun) {
            if (p - at < BatchFormat.HEADER_LENGTH) {
                return false;
            }
            if (p == byLength) {
                boolean isRight = found == byLastOffset || found == byCount;
                return isRight || (isRun && !contradicts(p, found) && !hasCrcUpTo(p));
            }
            return (found == byLastOffset && hasCrcUpTo(p))
                    || (p == byRecords() && records > 0 && found == offset + records);
        }

        /**
         * The offset after it, if it is shown to end at a position; −1 otherwise.
         *
         * @param found the offset that is stored there, which may be wrong
         * @param isWhole whether, but for that offset, a whole batch begins there
         */
        long offsetAt(int p, long found, boolean isWhole) {
            boolean isPlace = isWhole || p == byLength || found == byLastOffset;
            if (isPlace && byLastOffset <= endOffset && byLastOffset > 0 && hasCrcUpTo(p)) {
                return byLastOffset;
            }
            if (p == byLength && (found == byLastOffset || found == byCount)) {
                return found;
            }
            if (p == byLength && isWhole && byLastOffset == byCount) {
                return byCount;
            }
            boolean isLast = p == byRecords() && records > 0;
            return isLast && (isWhole || found == offset + records) ? offset + records : -1;
        }

        /** Whether it ends at a position with another offset than the one that is stored there. */
        boolean contradicts(int p, long found) {
            return (p == byLength && byLastOffset == byCount && found != byCount)
                    || (p == byRecords() && records > 0 && found != offset + records);
        }

        private boolean hasCrcUpTo(int p) {
            return verifier.hasCrcOf(memory, at, p);
        }

        /** The position after the records that follow the header. */
        private int byRecords() {
            if (records >= 0) {
                return byRecords;
            }
            RecordFlyweight record = new RecordFlyweight();
            record.wrap(memory);
            record.batch(0, 0, Integer.MAX_VALUE, 0, false, end);
            int behind = at + BatchFormat.HEADER_LENGTH;
            do {
                records++;
                byRecords = behind;
                behind = record.show(behind);
            } while (behind >= 0 && record.offset() == records);
            return byRecords;
        }
    }
}
