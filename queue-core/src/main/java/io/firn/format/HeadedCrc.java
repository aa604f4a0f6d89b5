package io.firn.format;

import java.util.zip.CRC32C;

/**
 * The CRC32C of a head, a value and one zero byte. A call of the JDK's CRC costs as much as 32
 * bytes of it, so for a head that repeats, only the value is summed: a CRC is linear, and
 *
 * <pre>
 *   crc(head value) = crc(value) ^ crc(head zeros) ^ crc(zeros)     with as many zeros as the value has bytes
 * </pre>
 *
 * of which the last two terms stay the same while the head and the value's length do. The zero byte
 * at the end is one step of the table-driven algorithm. Not thread-safe.
 */
final class HeadedCrc {
    /** For longer values the head does not matter. */
    private static final int LONGEST = 1024;

    private static final byte[] ZEROS = new byte[LONGEST];

    /** Castagnoli's polynomial, reflected. */
    private static final int POLYNOMIAL = 0x82F63B78;

    private static final int[] TABLE = table();

    private final CRC32C crc = new CRC32C();

    /** How often the present head was used: 0, 1, or 2 for more. */
    private int uses;

    private int share;

    /** Notes that the head or the length of the value will be another one. */
    void reset() {
        uses = 0;
    }

    /** Returns the CRC of a part of an array, then the value, if any, then a zero byte. */
    int of(byte[] head, int from, int to, Source value) {
        if (uses == 2) {
            return withZero(crcOf(value) ^ share);
        }
        // The second time only, so that heads that do not repeat cost nothing.
        if (uses++ == 1 && value.length() > 0 && value.length() <= LONGEST) {
            share = shareOf(head, from, to, value.length());
            return withZero(crcOf(value) ^ share);
        }
        uses = 1;
        crc.reset();
        crc.update(head, from, to - from);
        if (value.length() > 0) {
            value.updateCrc(crc);
        }
        return withZero((int) crc.getValue());
    }

    private int crcOf(Source value) {
        crc.reset();
        value.updateCrc(crc);
        return (int) crc.getValue();
    }

    /** Returns what the head adds to the CRC of a value with so many bytes. */
    private int shareOf(byte[] head, int from, int to, int length) {
        crc.reset();
        crc.update(ZEROS, 0, length);
        int zeros = (int) crc.getValue();
        crc.reset();
        crc.update(head, from, to - from);
        crc.update(ZEROS, 0, length);
        return zeros ^ (int) crc.getValue();
    }

    /** Returns the CRC of the same bytes and a zero byte. */
    private static int withZero(int before) {
        int state = ~before;
        return ~(TABLE[state & 0xFF] ^ (state >>> Byte.SIZE));
    }

    private static int[] table() {
        int[] table = new int[1 << Byte.SIZE];
        for (int i = 0; i < table.length; i++) {
            int state = i;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                state = (state >>> 1) ^ ((state & 1) == 0 ? 0 : POLYNOMIAL);
            }
            table[i] = state;
        }
        return table;
    }
}
