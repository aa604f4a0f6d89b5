package io.firn.spi;

import io.firn.medium.TwoSlots;
import io.firn.medium.UnsupportedVersionException;
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
 * The CRC32C covers bytes 0 to 79.
 */
public final class MarkFormat {
    /** The bytes of a slot that are used. */
    public static final int LENGTH = 84;

    /** The distance between the two slots: no torn page affects both. */
    public static final int SLOT_SPACING = 4096;

    /** The newest version. */
    public static final int VERSION = 1;

    private static final long MAGIC = 0x4649_524E_4D41_524BL; // FIRNMARK
    private static final int CRC = 80;

    private MarkFormat() {}

    /** Returns the bytes of a mark. */
    public static byte[] encode(Mark mark) {
        ByteBuffer b = ByteBuffer.allocate(LENGTH);
        b.putLong(MAGIC).putInt(VERSION).putInt(mark.state().code()).putLong(mark.sequence());
        b.putLong(mark.topicId().getMostSignificantBits());
        b.putLong(mark.topicId().getLeastSignificantBits());
        b.putInt(mark.partition()).putInt(mark.position()).putLong(mark.epoch());
        b.putLong(mark.baseOffset()).putLong(mark.offset()).putLong(mark.timeMs());
        b.putInt(crc(b.array(), 0));
        return b.array();
    }

    /**
     * Returns the mark in a slot.
     *
     * @return null when the slot is empty, damaged, or contains an impossible value
     * @throws UnsupportedVersionException when a newer Firn wrote it
     */
    public static Mark decode(byte[] bytes, int from) throws UnsupportedVersionException {
        if (bytes.length - from < LENGTH) {
            return null;
        }
        ByteBuffer b = ByteBuffer.wrap(bytes, from, LENGTH).slice();
        if (b.getLong() != MAGIC || b.getInt(CRC) != crc(bytes, from)) {
            return null;
        }
        int version = b.getInt();
        if (version > VERSION) {
            throw new UnsupportedVersionException("segment mark", VERSION, version);
        }
        SegmentState state = SegmentState.ofCode(b.getInt());
        long sequence = b.getLong();
        UUID topicId = new UUID(b.getLong(), b.getLong());
        int partition = b.getInt();
        int position = b.getInt();
        Mark mark =
                new Mark(
                        state,
                        topicId,
                        partition,
                        b.getLong(),
                        b.getLong(),
                        position,
                        b.getLong(),
                        b.getLong(),
                        sequence);
        return state == null || partition < 0 || position < 0 ? null : mark;
    }

    /** Returns the newer of two marks, of which either may be null. */
    public static Mark newer(Mark a, Mark b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.sequence() >= b.sequence() ? a : b;
    }

    private static int crc(byte[] bytes, int from) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, CRC);
        return (int) crc.getValue();
    }
}
