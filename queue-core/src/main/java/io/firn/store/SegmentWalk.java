package io.firn.store;

import io.firn.batch.BatchFormat;
import io.firn.batch.BatchVerifier;
import java.nio.ByteBuffer;

/**
 * Walks over the batches of a segment by their headers. Where the chain breaks below the end, the
 * step is a damaged range, and the walk continues after it.
 *
 * <p>The hard part is where to go on (design §3, torn or rotten). A place is believed when a batch
 * with a valid CRC starts there, its offset lies between what was expected and the end, and the
 * chain of headers from it runs unbroken to the end; failing that, when its epoch is one that was
 * seen in this segment, since the chain may run into further damage. So the bytes of a batch that
 * somebody stored as a value are not taken for one of ours.
 */
final class SegmentWalk {
    private final BatchVerifier verifier = new BatchVerifier();
    private final ByteBuffer memory;
    private final int end;
    private final long endOffset;

    private int at;
    private long expected;
    private int previous = -1;

    private int position;
    private int size;
    private long fromOffset;
    private long toOffset;
    private String damage;

    /**
     * A walk from a batch.
     *
     * @param at position of the first batch, whose offset is {@code expected}
     * @param end position behind the last batch, whose next offset is {@code endOffset}
     */
    SegmentWalk(ByteBuffer memory, int at, long expected, int end, long endOffset) {
        this.memory = memory;
        this.at = at;
        this.expected = expected;
        this.end = end;
        this.endOffset = endOffset;
    }

    /** Steps to the next batch or damaged range; false at the end. */
    boolean next() {
        if (at >= end && expected >= endOffset) {
            return false;
        }
        damage = null;
        int n = expected < endOffset ? verifier.checkHeader(memory, at, end, expected) : -1;
        if (n > 0) {
            previous = at;
            step(at, n, expected, BatchFormat.nextOffset(memory, at));
            return true;
        }
        // The batch before may be the damaged one: a wrong length leads to a wrong place.
        String reason = expected < endOffset ? verifier.reason() : "bytes behind the last offset";
        int from = at;
        if (previous >= 0 && verifier.check(memory, previous, end, memory.getLong(previous)) < 0) {
            from = previous;
            reason = verifier.reason();
            expected = memory.getLong(previous);
        }
        previous = -1;
        resync(from, reason);
        return true;
    }

    /** Makes the present batch a damaged range, since a closer look found it so. */
    void reject(String reason) {
        expected = fromOffset;
        previous = -1;
        resync(position, reason);
    }

    /** Walks on behind damage that was found at a place by a closer look. */
    void resync(int from, String reason) {
        int found = find(from + 1);
        long base = found < 0 ? Math.max(endOffset, expected) : memory.getLong(found);
        step(from, (found < 0 ? end : found) - from, expected, base);
        damage = reason;
    }

    private void step(int from, int bytes, long first, long next) {
        position = from;
        size = bytes;
        fromOffset = first;
        toOffset = next;
        at = from + bytes;
        expected = next;
    }

    /** Whether this step is a damaged range and not a batch. */
    boolean isDamage() {
        return damage != null;
    }

    /** What was wrong. */
    String damage() {
        return damage;
    }

    int position() {
        return position;
    }

    int size() {
        return size;
    }

    /** First offset of the batch or the damage. */
    long fromOffset() {
        return fromOffset;
    }

    /** Offset after it. */
    long toOffset() {
        return toOffset;
    }

    long maxTimestamp() {
        return memory.getLong(position + BatchFormat.MAX_TIMESTAMP);
    }

    private int find(int from) {
        int fallback = -1;
        for (int p = from; p <= end - BatchFormat.HEADER_LENGTH; p++) {
            if (memory.get(p + BatchFormat.MAGIC) != BatchFormat.MAGIC_2) {
                continue;
            }
            long base = memory.getLong(p);
            if (base < expected || base >= endOffset || verifier.check(memory, p, end, base) < 0) {
                continue;
            }
            if (chainReachesEnd(p, base)) {
                return p;
            }
            if (fallback < 0 && hasKnownEpoch(p)) {
                fallback = p;
            }
        }
        return fallback;
    }

    private boolean chainReachesEnd(int from, long base) {
        int p = from;
        long offset = base;
        while (p < end && offset < endOffset) {
            int n = verifier.checkHeader(memory, p, end, offset);
            if (n < 0) {
                return false;
            }
            offset = BatchFormat.nextOffset(memory, p);
            p += n;
        }
        return p == end && offset == endOffset;
    }

    private boolean hasKnownEpoch(int p) {
        int epoch = memory.getInt(p + BatchFormat.EPOCH);
        return epoch == memory.getInt(BatchFormat.EPOCH);
    }
}
