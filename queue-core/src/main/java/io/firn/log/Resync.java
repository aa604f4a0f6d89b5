package io.firn.log;

import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.format.BatchWalk;
import io.firn.format.Varint;
import io.firn.log.BatchRuns.Run;
import java.nio.ByteBuffer;

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
 * segment may be damaged in several places.
 *
 * <p>This class searches; {@link DamagedBatch} is the evidence of 1, {@link BatchRuns} the choice
 * of 3. Not thread-safe.
 */
final class Resync {
    private static final int EPOCH_MASK = 0x7FFF_FFFF;
    private static final int MAX_VARINT_BYTES = 5;

    private final BatchVerifier verifier = new BatchVerifier();
    private final BatchWalk walk = new BatchWalk(verifier);
    private final SegmentWalk.Bytes bytes;
    private final ByteBuffer memory;
    private final int end;
    private final long endOffset;
    private final BatchRuns runs = new BatchRuns();
    private int firstEpoch;

    /** Creates a search in the bytes of a segment. */
    Resync(SegmentWalk.Bytes bytes) {
        this.bytes = bytes;
        this.memory = bytes.memory();
        this.end = bytes.end();
        this.endOffset = bytes.endOffset();
    }

    /**
     * Searches after the damaged batch at a position.
     *
     * @param expected the first offset of the damaged batch
     * @return position of the batch to continue with, or −1 when there is none
     */
    int find(int from, long expected) {
        runs.clear();
        firstEpoch = firstEpochBefore(from);
        DamagedBatch damaged = damagedAt(from, expected);
        if (damaged.endsAtEnd()) {
            return -1;
        }
        int p = from + BatchFormat.HEADER_LENGTH;
        while (p <= end - BatchFormat.HEADER_LENGTH && !runs.isFull()) {
            long base = memory.getLong(p);
            boolean isPossible = base > damaged.offset() && base < endOffset;
            if (!isPossible && !damaged.mayEndAt(p)) {
                p++;
                continue;
            }
            boolean isWhole = verifier.check(memory, p, end, base) > 0;
            Run run = isWhole && isPossible ? runAt(p, base) : null;
            long known = damaged.offsetAt(p, base, isWhole);
            if (known >= 0) {
                // Where the offsets of several batches agree, they are not what is wrong.
                if (run != null && (known == base || run.batches() > 2 || isCertain(run))) {
                    return p;
                }
                damaged = damagedAt(p, known);
                runs.clear();
                if (damaged.endsAtEnd()) {
                    return -1;
                }
                p += BatchFormat.HEADER_LENGTH;
                continue;
            }
            int supported = runs.supportedBy(p, base, run != null);
            if (supported >= 0) {
                return runs.firstBelievedUpTo(supported);
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
            boolean isAfterLength = damaged.endsByLengthAt(p);
            if (isAfterLength) {
                runs.clear(); // what was found before is inside the damaged batch
            }
            boolean isCertain = isCertain(run);
            if (isCertain || isEpochPossible(run)) {
                runs.add(run);
            }
            if (isCertain || (isAfterLength && run.batches() > 1)) {
                return runs.firstBelievedUpToLast();
            }
            p = run.to();
        }
        return runs.firstBelieved();
    }

    private DamagedBatch damagedAt(int at, long offset) {
        return new DamagedBatch(bytes, verifier, at, offset);
    }

    /** Returns whether it leads to the end, possibly with one damaged batch in between. */
    private boolean isCertain(Run run) {
        return run.after() == null
                ? run.next() == endOffset || endOffset == Long.MAX_VALUE
                : run.after().endsAtEnd();
    }

    private Run runAt(int from, long base) {
        int batches = 0;
        walk.start(memory, from, base, end, endOffset);
        while (walk.nextWhole()) {
            batches++;
        }
        int to = walk.nextPosition();
        long next = walk.nextOffset();
        DamagedBatch after = to < end ? damagedAt(to, next) : null;
        return batches == 0 ? null : new Run(from, to, base, next, batches, after);
    }

    /**
     * Returns the end of a record's value that consists of the run and of further whole batches, if
     * any; −1 when no length in front of the run fits one.
     */
    private int endOfValue(Run run) {
        int last = run.from() - 1;
        if (memory.get(last) <= 0) {
            return -1; // not the last byte of a varint above 0
        }
        int at = endOfWholeBatches(run.to());
        for (int first = last; first > last - MAX_VARINT_BYTES && first >= 0; first--) {
            if (first < last && memory.get(first) >= 0) {
                return -1;
            }
            if (Varint.get(memory, first) == at - run.from()) {
                return at;
            }
        }
        return -1;
    }

    /** Returns where the whole batches from a position on end, whatever their offsets are. */
    private int endOfWholeBatches(int from) {
        int at = from;
        while (end - at >= BatchFormat.HEADER_LENGTH
                && walk.start(memory, at, memory.getLong(at), end).nextWhole()) {
            at = walk.nextPosition();
        }
        return at;
    }

    private int firstEpochBefore(int from) {
        boolean known = from > 0 && verifier.check(memory, 0, end, memory.getLong(0)) > 0;
        return known ? memory.getInt(BatchFormat.EPOCH) : -1;
    }

    private boolean isEpochPossible(Run run) {
        walk.start(memory, run.from(), run.base(), run.to());
        while (walk.next()) {
            if (isEpochPossible(walk.epochBits())) {
                return true;
            }
        }
        return false;
    }

    /** Epochs only grow within a segment; only their low bits are known. */
    private boolean isEpochPossible(int epoch) {
        int half = EPOCH_MASK / 2;
        int sinceFirst = firstEpoch < 0 ? 0 : (epoch - firstEpoch) & EPOCH_MASK;
        int last = bytes.lastEpoch();
        int toLast = last < 0 ? 0 : (last - epoch) & EPOCH_MASK;
        return epoch >= 0 && sinceFirst <= half && toLast <= half;
    }
}
