package io.firn.follow;

import java.nio.ByteBuffer;

/**
 * The offsets of one partition as another process publishes them. Each method is a load from a
 * mapping; it throws {@link InternalError} or {@link IllegalStateException} when that is gone. What
 * was read may be believed if {@link #isOf} returns true afterwards. Thread-safe.
 */
public final class FollowedOffsets {
    private final FollowedOffsetsFile file;
    private final ByteBuffer bytes;
    private final int at;
    private final FollowedOffsetsFile.Owner owner;

    FollowedOffsets(
            FollowedOffsetsFile file, ByteBuffer bytes, int slot, FollowedOffsetsFile.Owner owner) {
        this.file = file;
        this.bytes = bytes;
        this.at = PublishedOffsetsFormat.placeInPiece(slot);
        this.owner = owner;
    }

    /** Returns how far the present segment is written, see {@link OffsetSlot#end}. */
    public long end() {
        return PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.END);
    }

    /** Returns the number of the segment that {@link #end} is an end of; odd while it changes. */
    public long sequence() {
        return PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.SEQUENCE);
    }

    /** Returns the durable offset. */
    public long durable() {
        return PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.DURABLE);
    }

    /** Returns the log start. */
    public long start() {
        return PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.START);
    }

    /** Returns a number that grows when segments are begun, sealed, renamed, moved or deleted. */
    public long changes() {
        return PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.SLOT_CHANGES);
    }

    /**
     * Returns whether what was read before this call is what the writer has published of a segment.
     *
     * @param sequence as {@link #read} returned it with the segment
     */
    public boolean isOf(long sequence) {
        return sequence() == sequence && file.isLive();
    }

    /** Returns whether the writer publishes the partition here. */
    public boolean isAssigned() {
        return owner.equals(FollowedOffsetsFile.ownerOf(bytes, at)) && file.isLive();
    }

    /**
     * Reads all of the slot.
     *
     * @return null when the slot is changing, is another partition's, or the writer has ended; also
     *     when no writer has published this: Java may tell late that the file was cut, and until
     *     then loads give anything
     */
    public Published read() {
        boolean isMine = owner.equals(FollowedOffsetsFile.ownerOf(bytes, at));
        Published read = readSlot();
        boolean isPossible = read != null && read.start <= read.next();
        return isMine && isPossible && isOf(read.sequence) ? read : null;
    }

    /** Reads all of the slot, whosever it is; null when it changes meanwhile. */
    Published readSlot() {
        long sequence = sequence();
        Published read =
                new Published(
                        sequence,
                        PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.BASE),
                        PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.EPOCH),
                        PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.BASE_BEFORE),
                        PublishedOffsetsFormat.get(bytes, at + PublishedOffsetsFormat.END_BEFORE),
                        end(),
                        durable(),
                        start());
        return (sequence & 1) == 0 && sequence() == sequence ? read : null;
    }

    /**
     * What was published of a partition at one time.
     *
     * @param sequence identifies the segment
     * @param base the base offset of the segment that was begun last; without one, the next offset
     * @param epoch the epoch of that segment; −1 for none
     * @param baseBefore the base offset of the segment before it; −1 when unknown
     * @param endBefore how far that one was written
     * @param end how far the segment that was begun last is written
     * @param durable the durable offset
     * @param start the log start
     */
    public record Published(
            long sequence,
            long base,
            long epoch,
            long baseBefore,
            long endBefore,
            long end,
            long durable,
            long start) {

        /** Returns the offset after the last record. */
        public long next() {
            return base + (end >>> Integer.SIZE);
        }

        /** Returns the position after the last batch in the segment that was begun last. */
        public int position() {
            return (int) end;
        }
    }
}
