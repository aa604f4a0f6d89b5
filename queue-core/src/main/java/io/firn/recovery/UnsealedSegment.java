package io.firn.recovery;

import io.firn.PartitionReader.DamagedRange;
import io.firn.StoreFullException;
import io.firn.format.BatchFormat;
import io.firn.format.BatchVerifier;
import io.firn.format.BatchWalk;
import io.firn.log.DamagedOffsets;
import io.firn.log.LogSegment;
import io.firn.log.SegmentWalk;
import io.firn.log.SparseIndex;
import io.firn.log.StaleBytes;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Determines how far an unsealed segment is valid. Up to the mark the headers decide, since that
 * part was forced. Above it a batch counts only if it has the mark's epoch, the next offset, a
 * plausible length and a valid CRC ({@link BatchWalk#nextWhole(int)}).
 */
public final class UnsealedSegment implements SegmentChain.Found {
    private static final int CHUNK = 64 * 1024;
    private static final int PAGE = 4096;
    private static final int LOOK_AFTER_CUT = 1 << 20;

    final Block block;
    final Mark mark;
    private final long baseOffset;
    final List<DamagedRange> damage = new ArrayList<>();
    final SparseIndex index;

    private final boolean isReplica;
    private final ByteBuffer memory;
    private final int capacity;
    private final int markPosition;
    private int cut;
    private long cutOffset;

    private UnsealedSegment(Block block, Mark mark, long baseOffset, boolean isReplica) {
        this.isReplica = isReplica;
        this.block = block;
        this.mark = mark;
        this.baseOffset = baseOffset;
        this.memory = block.memory();
        this.capacity = block.capacity();
        this.index = new SparseIndex(capacity);
        this.markPosition = mark.state() == SegmentState.ACTIVE ? mark.position() : 0;
    }

    /**
     * Examines a segment; null when it is reserved and its first batch is not valid.
     *
     * @param isReplica whether its batches are another log's. Then it counts only if it has a mark,
     *     since any epoch may be in a block that was reserved (O27)
     */
    static UnsealedSegment find(Block block, boolean isReplica) {
        Mark mark = block.mark();
        if (isReplica && mark.state() == SegmentState.RESERVED) {
            return null;
        }
        long base =
                mark.state() == SegmentState.ACTIVE
                        ? mark.baseOffset()
                        : block.memory().getLong(BatchFormat.BASE_OFFSET);
        if (base < 0) {
            return null;
        }
        UnsealedSegment segment = new UnsealedSegment(block, mark, base, isReplica);
        segment.scan();
        return mark.state() == SegmentState.RESERVED && segment.cut == 0 ? null : segment;
    }

    int cut() {
        return cut;
    }

    @Override
    public long baseOffset() {
        return baseOffset;
    }

    @Override
    public long endOffset() {
        return cutOffset;
    }

    @Override
    public long epoch() {
        return mark.epoch();
    }

    @Override
    public String name() {
        return block.name();
    }

    /** Bytes that were accepted above the mark. */
    int acceptedBytes() {
        return cut - markPosition;
    }

    private void scan() {
        long durable = mark.state() == SegmentState.ACTIVE ? mark.offset() : baseOffset;
        int position = Math.min(markPosition, capacity);
        int lastEpoch = isReplica ? -1 : LogSegment.lastEpochBits(block);
        int leastEpoch = -1; // any
        SegmentWalk walk =
                new SegmentWalk(
                        new SegmentWalk.Bytes(memory, position, durable, lastEpoch), 0, baseOffset);
        while (walk.next()) {
            if (walk.isDamage()) {
                damage.add(new DamagedOffsets(walk.fromOffset(), walk.toOffset(), walk.damage()));
            } else {
                note(walk.position(), walk.size(), walk.toOffset(), walk.maxTimestamp());
                leastEpoch = memory.getInt(walk.position() + BatchFormat.EPOCH);
            }
        }
        BatchWalk aboveMark = new BatchWalk(new BatchVerifier());
        aboveMark.start(memory, position, durable, capacity);
        while (isReplica
                ? aboveMark.nextWholeFrom(leastEpoch)
                : aboveMark.nextWhole(BatchFormat.epochBits(mark.epoch()))) {
            leastEpoch = aboveMark.epochBits();
            note(
                    aboveMark.position(),
                    aboveMark.size(),
                    aboveMark.nextOffset(),
                    aboveMark.maxTimestamp());
        }
        cut = aboveMark.nextPosition();
        cutOffset = aboveMark.nextOffset();
    }

    private void note(int position, int size, long next, long maxTimestamp) {
        index.onBatch(position, size, (int) (next - baseOffset - 1), maxTimestamp);
    }

    /**
     * Bytes after the cut that were stored into this segment but are not valid, because a crash
     * tore them. In a block that was used before, only a batch with the mark's epoch and the next
     * offset certainly belongs to them.
     */
    int unprovenBytes() {
        return block.mayHoldStaleBytes() && !isReplica ? tornBytes() : bytesAfterCut();
    }

    private int tornBytes() {
        if (capacity - cut < BatchFormat.HEADER_LENGTH
                || memory.getInt(cut + BatchFormat.EPOCH) != BatchFormat.epochBits(mark.epoch())
                || memory.getLong(cut + BatchFormat.BASE_OFFSET) != cutOffset) {
            return 0;
        }
        long size = (long) memory.getInt(cut + BatchFormat.LENGTH) + BatchFormat.LENGTH_OVERHEAD;
        return (int) Math.min(Math.max(size, BatchFormat.HEADER_LENGTH), capacity - cut);
    }

    /**
     * Looks no further where no batch begins, and most of many partitions were at rest: a page of a
     * hole that is read takes memory and time, with those that the system reads ahead. If a power
     * cut took only the beginning of a batch, the rest stays. It never counts, because its epoch is
     * that of the mark before, and is not reported later, because zeros follow each batch.
     */
    private int bytesAfterCut() {
        if (isClear(Math.min(cut + LogSegment.TAIL_ZEROS, capacity))) {
            return 0;
        }
        int last = (int) Math.min(capacity, (long) cut + LOOK_AFTER_CUT);
        while (last - cut >= Long.BYTES && memory.getLong(last - Long.BYTES) == 0) {
            last -= Long.BYTES;
        }
        while (last > cut && memory.get(last - 1) == 0) {
            last--;
        }
        return last - cut;
    }

    /**
     * Makes the accepted bytes durable (O1): what recovery has just read may be in a cache only, so
     * the bytes are stored again, which dirties them, and forced, before they become visible.
     */
    void makeDurable() throws IOException {
        // The cut bytes are cleared; otherwise the next open would report them again.
        int to = Math.min(cut + Math.max(unprovenBytes(), LogSegment.TAIL_ZEROS), capacity);
        if (cut == markPosition && to - cut <= LogSegment.TAIL_ZEROS && isClear(to) && !isReplica) {
            // As after a close. If what is zero here is not on the medium, the epoch rules it out.
            return;
        }
        byte[] chunk = new byte[CHUNK];
        for (int at = markPosition; at < cut; at += CHUNK) {
            int n = Math.min(CHUNK, cut - at);
            memory.get(at, chunk, 0, n);
            writeAgain(at, chunk, n);
        }
        Arrays.fill(chunk, (byte) 0);
        for (int at = cut; at < to; at += CHUNK) {
            writeAgain(at, chunk, Math.min(CHUNK, to - at));
        }
        if (to > markPosition) {
            block.force(markPosition, to);
        }
        if (isReplica) {
            StaleBytes.erase(block, to, capacity);
        }
    }

    private boolean isClear(int to) {
        for (int at = cut; at < to; at++) {
            if (memory.get(at) != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Writes bytes by calls, since a store may meet a hole (O20). On a full file system a call
     * finds no space for a page that is a hole: it reads as zeros on the medium, too, and needs
     * none if it is to hold zeros.
     */
    private void writeAgain(int at, byte[] bytes, int length) throws IOException {
        try {
            block.write(at, ByteBuffer.wrap(bytes, 0, length));
        } catch (StoreFullException e) {
            for (int i = 0; i < length; i++) {
                int inPage = Math.min(length - i, PAGE - (at + i) % PAGE);
                if (!isZero(bytes, i, i + inPage)) {
                    block.write(at + i, ByteBuffer.wrap(bytes, i, inPage));
                }
                i += inPage - 1;
            }
        }
    }

    private static boolean isZero(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    /** Takes over the segment for a new writer: from here on only this epoch counts (O1). */
    LogSegment continueWriting(long epoch) throws IOException {
        block.rewriteMark(mark.active(epoch, baseOffset, cut, cutOffset));
        return continued(epoch);
    }

    private LogSegment continued(long epoch) {
        LogSegment segment = new LogSegment(block, epoch, index);
        segment.beginAt(baseOffset);
        segment.ofReplica(isReplica);
        segment.setWritten(cut, cutOffset);
        segment.setForcedEnd(segment.end());
        return segment;
    }

    /** Whether there is nothing in it but what its mark says; not known of a replica. */
    boolean isSettled() {
        return mark.state() == SegmentState.ACTIVE
                && cut == markPosition
                && isClear(Math.min(cut + LogSegment.TAIL_ZEROS, capacity))
                && !isReplica;
    }

    /** Goes on with the epoch of the mark, which no batch has (O33). */
    LogSegment continueSettled() {
        return continued(mark.epoch());
    }

    /** Completes a roll that a crash interrupted (O2). */
    LogSegment seal(long timeMs) throws IOException {
        block.seal(
                mark.sealed(mark.epoch(), baseOffset, cut, cutOffset, timeMs)
                        .withMaxTimestamp(index.maxTimestamp()));
        LogSegment segment = new LogSegment(block, baseOffset, cut, cutOffset).ofReplica(isReplica);
        segment.index(index);
        return segment;
    }
}
