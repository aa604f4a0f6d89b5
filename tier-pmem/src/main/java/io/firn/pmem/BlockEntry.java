package io.firn.pmem;

import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The entry of a block in the block table: the mark of the segment in it, or that it is free. It is
 * kept in two slots in different pages; the intact one with the higher {@code writes} is the
 * newest.
 *
 * <pre>
 *  0        8         12      16       24     32         40         48          52
 *  | magic  | version | state | writes | inc. | topic hi | topic lo | partition | position …
 *  52         56      64           72       80           88         96     100
 *  … position | epoch | baseOffset | offset | timeMs | sequence | room | finished …
 *  100        104          108        112              116            120      124   128
 *  … finished | indexBytes | indexCrc | timeIndexBytes | timeIndexCrc | unused | crc |
 * </pre>
 *
 * Version 2 is written only for a segment of a generation above 0. There bytes 104 to 123 are
 *
 * <pre>
 *  104           108         112          116           124
 *  | bundleBytes | bundleCrc | generation | compactedTo |
 * </pre>
 *
 * <p>The bundle is both indexes in one area ({@link BlockSidecars}).
 *
 * <p>State 0 is free, 1 to 3 are {@link SegmentState}'s codes, 4 is set aside for a copy that is
 * being made. The CRC32C covers the pool's id, the block's number and bytes 0 to 123: an entry is
 * valid only in its own place.
 *
 * @param writes how often the entry was written; never reset
 * @param incarnation the value of {@code writes} when the segment was reserved: distinguishes it
 *     from the segments that the block held before
 * @param mark the segment's mark; null when the block is free
 * @param epoch the highest epoch that batches in the block can have
 * @param room the space in bytes that the segment may use for batches
 * @param finished whether the indexes were written after the segment was sealed
 * @param index the offset index; in a generation above 0 the bundle
 * @param timeIndex the time index; none in a generation above 0
 */
record BlockEntry(
        long writes,
        long incarnation,
        Mark mark,
        long epoch,
        int room,
        boolean finished,
        Extent index,
        Extent timeIndex) {
    static final int SLOT_BYTES = 128;
    static final int VERSION = 2;
    private static final long MAGIC = 0x4649_524E_424C_4F4BL; // FIRNBLOK
    private static final int FREE = 0;
    private static final int STATE = 12;
    private static final int INCARNATION = 24;
    private static final int CRC = SLOT_BYTES - 4;

    /** Length and checksum of a sidecar. */
    record Extent(int bytes, int crc) {
        static final Extent NONE = new Extent(0, 0);

        static Extent of(byte[] bytes) {
            CRC32C crc = new CRC32C();
            crc.update(bytes, 0, bytes.length);
            return new Extent(bytes.length, (int) crc.getValue());
        }
    }

    /** Returns whether a slot contains this incarnation of a block in use; ignores the checksum. */
    static boolean hasIncarnation(ByteBuffer slot, long incarnation) {
        return slot.getInt(STATE) != FREE && slot.getLong(INCARNATION) == incarnation;
    }

    /** Returns the entry of a block that was never used. */
    static BlockEntry neverUsed() {
        return new BlockEntry(1, 0, null, -1, 0, false, Extent.NONE, Extent.NONE);
    }

    boolean isFree() {
        return mark == null;
    }

    /** Returns whether the block was never used before the segment that is in it. */
    boolean isFirstIncarnation() {
        return incarnation == neverUsed().writes + 1;
    }

    boolean isSealed() {
        return mark != null && mark.state() == SegmentState.SEALED;
    }

    /** Returns the generation of the segment; 0 when the block is free. */
    int generation() {
        return mark == null ? 0 : mark.generation();
    }

    /** Returns whether both indexes are in one bundle. */
    boolean isBundled() {
        return generation() > 0;
    }

    boolean isSameStateAs(BlockEntry other) {
        return isFree() == other.isFree()
                && (isFree() || mark.state() == other.mark.state())
                && incarnation == other.incarnation
                && generation() == other.generation()
                && finished == other.finished;
    }

    /** Returns the next entry: reserved for a segment. */
    BlockEntry reserved(Mark reserved, int bytes) {
        long next = writes + 1;
        return new BlockEntry(
                next, next, reserved, reserved.epoch(), bytes, false, Extent.NONE, Extent.NONE);
    }

    /** Returns the next entry: another mark. Indexes in the form of another version are dropped. */
    BlockEntry marked(Mark next) {
        long highest = Math.max(epoch, next.epoch());
        boolean keeps = isBundled() == next.generation() > 0;
        return new BlockEntry(
                writes + 1,
                incarnation,
                next,
                highest,
                room,
                finished,
                keeps ? index : Extent.NONE,
                keeps ? timeIndex : Extent.NONE);
    }

    /** Returns this entry with other indexes. */
    BlockEntry with(Extent newIndex, Extent newTimeIndex) {
        return new BlockEntry(
                writes, incarnation, mark, epoch, room, finished, newIndex, newTimeIndex);
    }

    /** Returns the next entry: finished, with these indexes. */
    BlockEntry finished(Extent newIndex, Extent newTimeIndex) {
        return new BlockEntry(
                writes + 1, incarnation, mark, epoch, room, true, newIndex, newTimeIndex);
    }

    /** Returns the next entry: free. */
    BlockEntry freed() {
        return new BlockEntry(
                writes + 1, incarnation, null, epoch, 0, false, Extent.NONE, Extent.NONE);
    }

    BlockEntry withEpoch(long other) {
        return new BlockEntry(writes, incarnation, mark, other, room, finished, index, timeIndex);
    }

    byte[] encode(UUID poolId, int block) {
        ByteBuffer b = ByteBuffer.allocate(SLOT_BYTES);
        Mark m = mark == null ? new Mark(null, new UUID(0, 0), 0, epoch, -1, 0, -1, -1, 0) : mark;
        b.putLong(MAGIC)
                .putInt(isBundled() ? VERSION : 1)
                .putInt(mark == null ? FREE : m.state().code());
        b.putLong(writes).putLong(incarnation);
        b.putLong(m.topicId().getMostSignificantBits());
        b.putLong(m.topicId().getLeastSignificantBits());
        b.putInt(m.partition()).putInt(m.position()).putLong(m.epoch());
        b.putLong(m.baseOffset()).putLong(m.offset()).putLong(m.timeMs());
        b.putLong(m.sequence()).putInt(room).putInt(finished ? 1 : 0);
        b.putInt(index.bytes()).putInt(index.crc());
        if (isBundled()) {
            b.putInt(m.generation()).putLong(m.compactedTo());
        } else {
            b.putInt(timeIndex.bytes()).putInt(timeIndex.crc());
        }
        b.putInt(CRC, crc(b.array(), poolId, block));
        return b.array();
    }

    /**
     * Returns the entry in a slot.
     *
     * @return null when the slot is not intact or belongs to another place
     * @throws UnsupportedVersionException when a newer Firn wrote it
     */
    static BlockEntry decode(byte[] slot, UUID poolId, int block)
            throws UnsupportedVersionException {
        return ByteBuffer.wrap(slot).getInt(CRC) == crc(slot, poolId, block) ? parse(slot) : null;
    }

    /** As {@link #decode}, when the pool's id is lost and the checksum cannot be verified. */
    static BlockEntry parse(byte[] slot) throws UnsupportedVersionException {
        ByteBuffer b = ByteBuffer.wrap(slot);
        if (b.getLong() != MAGIC) {
            return null;
        }
        int version = b.getInt();
        if (version > VERSION) {
            throw new UnsupportedVersionException("the entry of a block", VERSION, version);
        }
        int code = b.getInt();
        SegmentState state = SegmentState.ofCode(code);
        long writes = b.getLong();
        long incarnation = b.getLong();
        UUID topicId = new UUID(b.getLong(), b.getLong());
        int partition = b.getInt();
        int position = b.getInt();
        long epoch = b.getLong();
        long baseOffset = b.getLong();
        long offset = b.getLong();
        long timeMs = b.getLong();
        long sequence = b.getLong();
        int room = b.getInt();
        boolean finished = b.getInt() == 1;
        Extent index = new Extent(b.getInt(), b.getInt());
        Extent timeIndex = version > 1 ? Extent.NONE : new Extent(b.getInt(), b.getInt());
        int generation = version > 1 ? b.getInt() : 0;
        long compactedTo = version > 1 ? b.getLong() : Mark.NEVER_COMPACTED;
        if ((state == null && code != FREE)
                || partition < 0
                || position < 0
                || position > room
                || generation < 0) {
            return null;
        }
        Mark mark =
                state == null
                        ? null
                        : new Mark(
                                state,
                                topicId,
                                partition,
                                epoch,
                                baseOffset,
                                position,
                                offset,
                                timeMs,
                                sequence,
                                generation,
                                compactedTo);
        return new BlockEntry(writes, incarnation, mark, epoch, room, finished, index, timeIndex);
    }

    private static int crc(byte[] slot, UUID poolId, int block) {
        ByteBuffer place = ByteBuffer.allocate(20);
        place.putLong(poolId.getMostSignificantBits()).putLong(poolId.getLeastSignificantBits());
        place.putInt(block).flip();
        CRC32C crc = new CRC32C();
        crc.update(place);
        crc.update(slot, 0, CRC);
        return (int) crc.getValue();
    }
}
