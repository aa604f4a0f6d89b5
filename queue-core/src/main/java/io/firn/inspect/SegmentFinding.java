package io.firn.inspect;

import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.format.BatchWalk;
import io.firn.log.SegmentWalk;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.TierInspector.TierRemains;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds which records a segment holds, by verifying all of its batches. Up to the mark, damage is
 * reported and skipped; above it, the first batch that does not continue the segment ends the
 * search, as in recovery.
 */
final class SegmentFinding {
    private final TierRemains.Remains remains;
    private final List<String> damage = new ArrayList<>();

    private ByteBuffer memory;
    private long from = -1;
    private long to = -1;
    private int bytes;
    private int bytesAboveMark;
    private boolean whole;

    SegmentFinding(TierRemains.Remains remains) {
        this.remains = remains;
    }

    /** What is wrong with it, one line each. */
    List<String> damage() {
        return damage;
    }

    /** First offset; −1 when there is no batch. */
    long from() {
        return from;
    }

    /** Offset after the last valid batch. */
    long to() {
        return to;
    }

    /** Whether it is sealed, has all its bytes, and was made of the other one by compaction. */
    boolean replaces(SegmentFinding other) {
        return isSealed()
                && other.isSealed()
                && whole
                && remains.mark().generation() > other.remains.mark().generation()
                && from <= other.from
                && other.to <= to;
    }

    private boolean isSealed() {
        return remains.mark() != null && remains.mark().state() == SegmentState.SEALED;
    }

    boolean isEmpty() {
        return from < 0;
    }

    /**
     * Inspects the segment; what cannot be read counts as damage.
     *
     * @param isDeep whether to read a sealed segment; otherwise its mark is believed
     */
    SegmentFinding look(boolean isDeep) {
        if (!remains.flaw().isEmpty()) {
            damage.add(remains.flaw());
        }
        if (!isDeep && isSealed() && remains.mark().offset() >= 0) {
            from = remains.mark().baseOffset();
            to = remains.mark().offset();
            bytes = remains.mark().position();
            whole = true;
            return this;
        }
        try {
            memory = ByteBuffer.wrap(remains.bytes().read());
            Mark mark = remains.mark();
            if (mark == null) {
                follow(BatchWalk.ANY_EPOCH);
            } else if (mark.state() == SegmentState.RESERVED) {
                follow(BatchFormat.epochBits(mark.epoch()));
            } else {
                walk(mark);
            }
        } catch (IOException e) {
            damage.add("cannot be read: " + e);
        }
        memory = null;
        return this;
    }

    private void walk(Mark mark) {
        from = mark.baseOffset();
        to = mark.offset() < 0 ? from : mark.offset();
        bytes = mark.position();
        whole = mark.offset() >= 0 && bytes <= memory.capacity();
        if (bytes > memory.capacity()) {
            damage.add(
                    String.format(
                            "%d bytes expected, %d are there", mark.position(), memory.capacity()));
            bytes = memory.capacity();
        }
        if (mark.offset() < 0) {
            bytes = 0;
            to = from;
            follow(BatchWalk.ANY_EPOCH);
            return;
        }
        BatchVerifier verifier = new BatchVerifier();
        int lastEpoch = mark.epoch() < 0 ? -1 : BatchFormat.epochBits(mark.epoch());
        SegmentWalk walk =
                new SegmentWalk(new SegmentWalk.Bytes(memory, bytes, to, lastEpoch), 0, from);
        while (walk.next()) {
            if (!walk.isDamage()
                    && verifier.check(memory, walk.position(), bytes, walk.fromOffset()) < 0) {
                walk.reject(verifier.reason());
            }
            if (walk.isDamage()) {
                damage.add(
                        String.format(
                                "offsets [%d, %d) at byte %d: %s",
                                walk.fromOffset(),
                                walk.toOffset(),
                                walk.position(),
                                walk.damage()));
            }
        }
        if (mark.state() == SegmentState.ACTIVE) {
            int marked = bytes;
            follow(BatchFormat.epochBits(mark.epoch()));
            bytesAboveMark = bytes - marked;
        }
    }

    /** Continues while whole batches follow one another, all of one epoch. */
    private void follow(int epochBits) {
        boolean isUnknown = from < 0 && memory.capacity() >= BatchFormat.HEADER_LENGTH;
        long first = isUnknown ? memory.getLong(bytes + BatchFormat.BASE_OFFSET) : to;
        if (first < 0) {
            return;
        }
        BatchWalk walk = new BatchWalk(new BatchVerifier());
        walk.start(memory, bytes, first, memory.capacity());
        while (walk.nextWhole(epochBits)) {
            from = from < 0 ? first : from;
            to = walk.nextOffset();
            bytes = walk.nextPosition();
        }
    }

    @Override
    public String toString() {
        Mark mark = remains.mark();
        StringBuilder out = new StringBuilder(100);
        if (isEmpty()) {
            out.append("no records");
        } else {
            out.append(String.format("offsets [%d, %d), %d bytes", from, to, bytes));
        }
        if (mark == null) {
            out.append(", mark DESTROYED");
        } else {
            out.append(String.format(", %s, epoch %d", mark.state(), mark.epoch()));
            if (mark.generation() > 0) {
                out.append(
                        String.format(
                                ", generation %d, compacted to %d",
                                mark.generation(), mark.compactedTo()));
            }
            if (mark.state() == SegmentState.ACTIVE) {
                out.append(
                        String.format(
                                ", durable to %d by its mark, %d bytes above it",
                                mark.offset(), bytesAboveMark));
            }
        }
        out.append("; ").append(remains.place());
        return out.toString();
    }
}
