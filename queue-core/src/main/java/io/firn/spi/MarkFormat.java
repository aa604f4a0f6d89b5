package io.firn.spi;

import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.medium.TwoSlots;
import io.firn.spi.Mark.SegmentState;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The layout of a {@link Mark} in its slot. A mark is kept in two slots in different 4 KiB pages
 * ({@link TwoSlots}). All numbers are big-endian.
 *
 * <pre>
 *  0        8     12    16         24         32          40     44      48
 *  | magic  | ver | st  | seq      | topic hi | topic lo  | part | pos   |
 *  48        56           64          72            80     84
 *  | epoch   | baseOffset | offset    | timeMs      | crc  |
 * </pre>
 *
 * The CRC32C covers bytes 0 to 79. In version 2, which is written only for a generation above 0,
 * this follows:
 *
 * <pre>
 *  84           88            96             104   108
 *  | generation | compactedTo | stableOffset | crc |
 * </pre>
 *
 * The second CRC32C covers bytes 0 to 103; {@code stableOffset} is −1. The first one stays where it
 * is in every version: a Firn that does not know the version finds the mark intact, and refuses it
 * instead of treating it as damaged.
 *
 * @see StorageTier
 */
public final class MarkFormat {
    /** The bytes of a slot that are used at most. */
    public static final int LENGTH = 108;

    /** The distance between the two slots: no torn page affects both. */
    public static final int SLOT_SPACING = 4096;

    /** The newest version. */
    public static final int VERSION = 2;

    private static final long MAGIC = 0x4649_524E_4D41_524BL; // FIRNMARK
    private static final int CRC = 80;
    private static final int LENGTH_1 = CRC + Integer.BYTES;
    private static final int CRC_2 = LENGTH - Integer.BYTES;
    private static final long NO_STABLE_OFFSET = -1;

    private MarkFormat() {}

    /** Returns how many bytes {@link #encode} returns for a mark. */
    public static int lengthOf(Mark mark) {
        return mark.generation() > 0 ? LENGTH : LENGTH_1;
    }

    /** Returns the bytes of a mark, in the oldest version that can hold it. */
    public static byte[] encode(Mark mark) {
        ByteBuffer b = ByteBuffer.allocate(lengthOf(mark));
        int version = mark.generation() > 0 ? VERSION : 1;
        b.putLong(MAGIC).putInt(version).putInt(mark.state().code()).putLong(mark.sequence());
        b.putLong(mark.topicId().getMostSignificantBits());
        b.putLong(mark.topicId().getLeastSignificantBits());
        b.putInt(mark.partition()).putInt(mark.position()).putLong(mark.epoch());
        b.putLong(mark.baseOffset()).putLong(mark.offset()).putLong(mark.timeMs());
        b.putInt(crc(b.array(), 0, CRC));
        if (version > 1) {
            b.putInt(mark.generation()).putLong(mark.compactedTo()).putLong(NO_STABLE_OFFSET);
            b.putInt(crc(b.array(), 0, CRC_2));
        }
        return b.array();
    }

    /**
     * Returns the mark in a slot.
     *
     * @return null when the slot is empty, damaged, or contains an impossible value
     * @throws UnsupportedVersionException when a newer Firn wrote it
     */
    public static Mark decode(byte[] bytes, int from) throws UnsupportedVersionException {
        if (bytes.length - from < LENGTH_1) {
            return null;
        }
        ByteBuffer b = ByteBuffer.wrap(bytes, from, bytes.length - from).slice();
        if (b.getLong() != MAGIC || b.getInt(CRC) != crc(bytes, from, CRC)) {
            return null;
        }
        int version = b.getInt();
        if (version > VERSION) {
            throw new UnsupportedVersionException("segment mark", VERSION, version);
        }
        boolean hasGeneration = version > 1;
        if (hasGeneration
                && (b.capacity() < LENGTH || b.getInt(CRC_2) != crc(bytes, from, CRC_2))) {
            return null;
        }
        SegmentState state = SegmentState.ofCode(b.getInt());
        long sequence = b.getLong();
        UUID topicId = new UUID(b.getLong(), b.getLong());
        int partition = b.getInt();
        int position = b.getInt();
        long epoch = b.getLong();
        long baseOffset = b.getLong();
        long offset = b.getLong();
        long timeMs = b.getLong();
        int generation = hasGeneration ? b.getInt(LENGTH_1) : 0;
        long compactedTo =
                hasGeneration ? b.getLong(LENGTH_1 + Integer.BYTES) : Mark.NEVER_COMPACTED;
        if (state == null || partition < 0 || position < 0 || generation < 0) {
            return null;
        }
        return new Mark(
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
    }

    /** Returns the newer of two marks, of which either may be null. */
    public static Mark newer(Mark a, Mark b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.sequence() >= b.sequence() ? a : b;
    }

    private static int crc(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
