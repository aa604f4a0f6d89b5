package io.firn.pmem;

import io.firn.medium.UnsupportedVersionException;
import io.firn.spi.Mark;
import io.firn.spi.SegmentState;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * What the block table says about a block: the mark of the segment in it, or that it is free. Two
 * slots in different pages are written in turn; the whole one with more {@code writes} counts.
 *
 * <pre>
 *  0        8         12      16       24     32         40         48          52
 *  | magic  | version | state | writes | life | topic hi | topic lo | partition | position …
 *  52         56      64           72       80           88         96     100
 *  … position | epoch | baseOffset | offset | timeMs | sequence | room | finished …
 *  100        104          108        112              116            120      124   128
 *  … finished | indexBytes | indexCrc | timeIndexBytes | timeIndexCrc | unused | crc |
 * </pre>
 *
 * State 0 is free, 1 to 3 are {@link SegmentState}'s codes, 4 is kept for a copy that is being
 * made. The CRC32C covers the pool's id, the block's number and bytes 0 to 123: an entry counts
 * only in its own place.
 *
 * @param writes how often the entry was written; never starts anew
 * @param life the value of {@code writes} when the segment was reserved: tells it from those that
 *     the block held before
 * @param mark the segment's mark; null when the block is free
 * @param epoch the highest epoch that batches in the block can have
 * @param room bytes that the segment may use for batches
 * @param finished whether its indexes were written after it was sealed
 */
record BlockEntry(
        long writes,
        long life,
        Mark mark,
        long epoch,
        int room,
        boolean finished,
        Extent index,
        Extent timeIndex) {
    static final int SLOT_BYTES = 128;
    static final int VERSION = 1;
    private static final long MAGIC = 0x4649_524E_424C_4F4BL; // FIRNBLOK
    private static final int FREE = 0;
    private static final int STATE = 12;
    private static final int LIFE = 24;
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

    /**
     * Whether a slot seems to tell of this life of a block in use; its checksum is not looked at.
     */
    static boolean isLife(ByteBuffer slot, long life) {
        return slot.getInt(STATE) != FREE && slot.getLong(LIFE) == life;
    }

    /** The entry of a block that was never used. */
    static BlockEntry neverUsed() {
        return new BlockEntry(1, 0, null, -1, 0, false, Extent.NONE, Extent.NONE);
    }

    boolean isFree() {
        return mark == null;
    }

    boolean isNeverUsed() {
        return isFree() && writes == 1;
    }

    /** Whether the block was never used before the segment that is in it. */
    boolean isFirstLife() {
        return life == neverUsed().writes + 1;
    }

    boolean isSealed() {
        return mark != null && mark.state() == SegmentState.SEALED;
    }

    boolean isSameStateAs(BlockEntry other) {
        return isFree() == other.isFree()
                && (isFree() || mark.state() == other.mark.state())
                && life == other.life
                && finished == other.finished;
    }

    /** The next entry: reserved for a segment. */
    BlockEntry reserved(Mark reserved, int bytes) {
        long next = writes + 1;
        return new BlockEntry(
                next, next, reserved, reserved.epoch(), bytes, false, Extent.NONE, Extent.NONE);
    }

    /** The next entry: another mark. */
    BlockEntry marked(Mark next) {
        long highest = Math.max(epoch, next.epoch());
        return new BlockEntry(writes + 1, life, next, highest, room, finished, index, timeIndex);
    }

    /** The next entry: finished, with these indexes. */
    BlockEntry finished(Extent newIndex, Extent newTimeIndex) {
        return new BlockEntry(writes + 1, life, mark, epoch, room, true, newIndex, newTimeIndex);
    }

    /** The next entry: free. */
    BlockEntry freed() {
        return new BlockEntry(writes + 1, life, null, epoch, 0, false, Extent.NONE, Extent.NONE);
    }

    BlockEntry withEpoch(long other) {
        return new BlockEntry(writes, life, mark, other, room, finished, index, timeIndex);
    }

    byte[] encode(UUID poolId, int block) {
        ByteBuffer b = ByteBuffer.allocate(SLOT_BYTES);
        Mark m = mark == null ? new Mark(null, new UUID(0, 0), 0, epoch, -1, 0, -1, -1, 0) : mark;
        b.putLong(MAGIC).putInt(VERSION).putInt(mark == null ? FREE : m.state().code());
        b.putLong(writes).putLong(life);
        b.putLong(m.topicId().getMostSignificantBits());
        b.putLong(m.topicId().getLeastSignificantBits());
        b.putInt(m.partition()).putInt(m.position()).putLong(m.epoch());
        b.putLong(m.baseOffset()).putLong(m.offset()).putLong(m.timeMs());
        b.putLong(m.sequence()).putInt(room).putInt(finished ? 1 : 0);
        b.putInt(index.bytes()).putInt(index.crc());
        b.putInt(timeIndex.bytes()).putInt(timeIndex.crc());
        b.putInt(CRC, crc(b.array(), poolId, block));
        return b.array();
    }

    /**
     * The entry in a slot.
     *
     * @return null when it is not whole or belongs elsewhere
     * @throws UnsupportedVersionException when a newer Firn wrote it
     */
    static BlockEntry decode(byte[] slot, UUID poolId, int block)
            throws UnsupportedVersionException {
        return ByteBuffer.wrap(slot).getInt(CRC) == crc(slot, poolId, block) ? parse(slot) : null;
    }

    /** As {@link #decode}, when the pool's id is lost and the checksum cannot be looked at. */
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
        long life = b.getLong();
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
        Extent timeIndex = new Extent(b.getInt(), b.getInt());
        if ((state == null && code != FREE) || partition < 0 || position < 0 || position > room) {
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
                                sequence);
        return new BlockEntry(writes, life, mark, epoch, room, finished, index, timeIndex);
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
