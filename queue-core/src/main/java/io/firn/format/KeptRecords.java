package io.firn.format;

import java.io.IOException;
import java.util.Arrays;

/** Which records of a batch are kept, by their place in it: a bit for each. Not thread-safe. */
final class KeptRecords {
    /** A batch with more records is not judged: the bits take 512 KiB. */
    static final int MOST = 1 << 22;

    private static final int FEW_LONGS = 16;

    private long[] bits = new long[FEW_LONGS];
    private int used;

    /** Forgets all. */
    void clear() {
        Arrays.fill(bits, 0, used, 0);
        used = 0;
    }

    /**
     * Adds a record.
     *
     * @throws IOException when it is one of too many
     */
    void add(int index) throws IOException {
        int at = index / Long.SIZE;
        if (index >= MOST) {
            throw tooMany();
        }
        if (at >= bits.length) {
            bits = Arrays.copyOf(bits, Math.max(at + 1, 2 * bits.length));
        }
        used = Math.max(used, at + 1);
        bits[at] |= 1L << index;
    }

    static IOException tooMany() {
        return new IOException(
                "it has more records than the " + MOST + " that a batch may have to be compacted");
    }

    /** Returns whether a record is kept. */
    boolean contains(int index) {
        int at = index / Long.SIZE;
        return at < used && (bits[at] & 1L << index) != 0;
    }
}
