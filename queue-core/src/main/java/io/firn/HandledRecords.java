package io.firn;

import java.util.Arrays;

/**
 * How far a reader has handled the records of each partition since its cursor was advanced last. It
 * allocates only when it meets a partition for the first time. Not thread-safe.
 */
final class HandledRecords {
    private final Cursor cursor;
    private long[] offsets = {};
    private boolean[] isAhead = {};
    private int[] ahead = {};
    private int partitions;
    private int records;

    HandledRecords(Cursor cursor) {
        this.cursor = cursor;
    }

    /** Notes the offset of the next record of a partition. */
    void at(int partition, long offset) {
        if (partition >= offsets.length) {
            int room = Math.max(partition + 1, 2 * offsets.length);
            offsets = Arrays.copyOf(offsets, room);
            isAhead = Arrays.copyOf(isAhead, room);
            ahead = Arrays.copyOf(ahead, room);
        }
        offsets[partition] = offset;
        if (!isAhead[partition]) {
            isAhead[partition] = true;
            ahead[partitions++] = partition;
        }
        records++;
    }

    /** The number of records that the cursor has not passed. */
    int count() {
        return records;
    }

    /** Advances the cursor; what it refuses stays to be done. */
    void advanceCursor() {
        while (partitions > 0) {
            int partition = ahead[partitions - 1];
            cursor.advance(partition, offsets[partition]);
            isAhead[partition] = false;
            partitions--;
        }
        records = 0;
    }
}
