package io.firn.log;

import java.util.Arrays;

/**
 * The offsets that a replicated log was truncated to since it was opened. A reader remembers how
 * many it has seen, so that it never takes new records for those that it stood before. Any thread
 * may read.
 */
public final class Truncations {
    private volatile long[] offsets = new long[0];

    /** Returns how many there were. */
    public int count() {
        return offsets.length;
    }

    /** Returns the lowest offset of those after the first ones. */
    public long lowestSince(int seen) {
        long lowest = Long.MAX_VALUE;
        long[] all = offsets;
        for (int i = seen; i < all.length; i++) {
            lowest = Math.min(lowest, all[i]);
        }
        return lowest;
    }

    /** Adds one; for one thread at a time. */
    void add(long offset) {
        long[] all = Arrays.copyOf(offsets, offsets.length + 1);
        all[all.length - 1] = offset;
        offsets = all;
    }
}
