package io.firn.cursor;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;

/**
 * Offsets that readers have committed and that no cursor can have, by partition: below 0, or above
 * the end of the log at that time. Any number may be one. For the holder of the cursor's monitor.
 */
final class OutsideOffsets {
    private final BitSet present = new BitSet();
    private long[] offsets = {};

    boolean has(int partition) {
        return present.get(partition);
    }

    /** Returns the offset in a partition that {@link #has} one. */
    long at(int partition) {
        return offsets[partition];
    }

    void put(int partition, long offset) {
        if (partition >= offsets.length) {
            offsets = Arrays.copyOf(offsets, partition + 1);
        }
        offsets[partition] = offset;
        present.set(partition);
    }

    /** Forgets the offset in a partition; returns whether there was one. */
    boolean remove(int partition) {
        boolean was = present.get(partition);
        present.clear(partition);
        return was;
    }

    /** Takes what is stored of the partitions that there are. */
    void replaceAll(Map<Integer, Long> stored, int partitions) {
        present.clear();
        stored.forEach(
                (partition, offset) -> {
                    if (partition < partitions) {
                        put(partition, offset);
                    }
                });
    }

    /** Returns all of them as they are now. */
    Map<Integer, Long> now() {
        Map<Integer, Long> now = new TreeMap<>();
        present.stream().forEach(partition -> now.put(partition, offsets[partition]));
        return now;
    }
}
