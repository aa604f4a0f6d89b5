package io.firn.store;

import io.firn.batch.BatchFormat;
import io.firn.batch.BatchVerifier;
import io.firn.batch.RecordFlyweight;
import io.firn.batch.Varint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the batch that a segment continues with after a damaged one (design §3, torn or rotten).
 *
 * <p>The value of a record may contain whole batches, for example when a log is stored in a log. As
 * long as the batch around them is whole they are never looked at. When it is damaged, a valid CRC
 * alone does not tell them from the batches of the segment, so the evidence is weighed in this
 * order:
 *
 * <ol>
 *   <li><b>What is left of the damaged batch.</b> It ends where the offset that must come next is
 *       stored, provided that its length leads there, or its CRC agrees with the bytes up to there,
 *       or its records, one after another, end there. Damage to a single field leaves at least one
 *       of the three. Whatever lies before that place belongs to the damaged batch. When the batch
 *       at that place is damaged as well, the search goes on from it.
 *   <li><b>What a run of whole batches leads to.</b> A run is believed when it ends at the end of
 *       the segment, or at a damaged batch whose own end can be shown as in 1.
 *   <li><b>That nothing contradicts a run.</b> A run between two places where nothing is left to
 *       show anything is believed, too, unless one of these speaks against it: it is exactly the
 *       value of a record, by the length in front of it; none of its epochs can be one of the
 *       segment's; its offsets are out of order with those of the runs that are believed; fewer
 *       bytes lie between it and such a run than a batch takes. Of runs that contradict each other
 *       those are believed that account for more bytes.
 * </ol>
 *
 * <p>So the next run is preferred to a later one although only the later one reaches the end: the
 * segment may be damaged in several places. Not thread-safe.
 */
final class Resync {
    /** So many runs are compared; a batch would have to contain more batches to matter. */
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
     * A search in the bytes of a segment.
     *
     * @param end position behind the last batch
     * @param endOffset offset there, {@link Long#MAX_VALUE} when it is not known
     * @param lastEpoch the bits of the epoch of the last batch, −1 when it is not known
     */
    Resync(ByteBuffer memory, int end, long endOffset, int lastEpoch) {
        this.memory = memory;
        this.end = end;
        this.endOffset = endOffset;
        this.lastEpoch = lastEpoch;
    }

    /** Batches with valid CRCs whose offsets follow one another. */
    private record Run(int from, int to, long base, long next, int batches, Extent behind) {}

    /**
     * Searches behind the damaged batch at a position.
     *
     * @param expected the offset that the damaged batch begins with
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
                // Where the offsets of several batches agree, it is not they that are wrong.
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
                runs.clear(); // what was found before lies within the damaged batch
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

    /** Whether it leads to the end, if need be with one damaged batch in between. */
    private boolean isCertain(Run run) {
        return run.behind == null
                ? run.next == endOffset || endOffset == Long.MAX_VALUE
                : run.behind.endsAtEnd();
    }

    /** The run that ends at a damaged batch which is shown to end at a position; −1 for none. */
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
     * The first of the runs that are believed: those up to a certain one, or up to the end, that do
     * not contradict each other and together account for the most bytes.
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
     * Where the record's value ends that consists of the run and of further whole batches, if any;
     * −1 when no number in front of the run says so.
     */
    private int endOfValue(Run run) {
        int last = run.from - 1;
        if (memory.get(last) <= 0) {
            return -1; // the last byte of a number has no high bit, and is 0 for no long number
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

    /** A damaged batch, and what is left of it that tells where it ends. */
    private final class Extent {
        final int at;
        final long offset;

        /** Position behind it by its length, −1 when that cannot be. */
        final int byLength;

        /**
         * Offset behind it, by its last offset and by its count; below its own when that cannot be.
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
            boolean isSane = length >= least && length <= most;
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

        /** Whether something says that it ends at a position. */
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
         * The offset behind it, when it is shown to end at a position; −1 when it is not.
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

        /** Position behind the records that follow the header one after another. */
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
