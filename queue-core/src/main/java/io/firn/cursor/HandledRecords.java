package io.firn.cursor;

import io.firn.Cursor;
import io.firn.TailerOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.IntToLongFunction;

/**
 * How far a reader has handled the records of each partition since its cursor was advanced last,
 * and when that is due again. It allocates only when it meets a partition for the first time. Not
 * thread-safe.
 */
final class HandledRecords {
    private static final int RECORDS_BETWEEN_LOOKS = 16;

    private final IntToLongFunction truncatedTo;
    private final Cursor cursor;
    private final int commitRecords;
    private final long commitNs;
    private long[] offsets = {};
    private boolean[] isAhead = {};
    private int[] ahead = {};
    private int partitions;
    private int records;

    /** When the first record was handled that the cursor has not passed. */
    private long handledNs;

    /**
     * Creates the state of a reader that has handled nothing.
     *
     * @param truncatedTo the offset that a partition was truncated to and its tailer does not know
     *     of, {@link Long#MAX_VALUE} for none
     */
    HandledRecords(IntToLongFunction truncatedTo, Cursor cursor, TailerOptions options) {
        this.truncatedTo = truncatedTo;
        this.cursor = cursor;
        this.commitRecords = options.commitRecords().orElse(Integer.MAX_VALUE);
        this.commitNs = options.commitInterval().map(HandledRecords::ns).orElse(Long.MAX_VALUE);
    }

    /** A time that does not fit, of 292 years, is none. */
    private static long ns(Duration interval) {
        long ms = interval.toMillis();
        return ms > Long.MAX_VALUE / 1_000_000 ? Long.MAX_VALUE : ms * 1_000_000;
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
        if (records++ == 0 && commitNs < Long.MAX_VALUE) {
            handledNs = System.nanoTime();
        }
    }

    /** Advances the cursor if that many records were handled, or the time has passed. */
    void commitIfDue() {
        if (records >= commitRecords || untilDueNs() <= 0) {
            advanceCursor();
        }
    }

    /** As {@link #commitIfDue}, after each record: looks at the time now and then. */
    void commitIfDueInPoll() {
        if (records >= commitRecords || records % RECORDS_BETWEEN_LOOKS == 0) {
            commitIfDue();
        }
    }

    /** The time in ns until the cursor is to be advanced; {@link Long#MAX_VALUE} for none. */
    long untilDueNs() {
        boolean isTimed = records > 0 && commitNs < Long.MAX_VALUE;
        return isTimed ? commitNs - (System.nanoTime() - handledNs) : Long.MAX_VALUE;
    }

    /** Advances the cursor; what it refuses stays to be done. */
    void advanceCursor() {
        while (partitions > 0) {
            int partition = ahead[partitions - 1];
            cutOff(partition);
            cursor.commit(partition, offsets[partition]);
            if (cutOff(partition)) { // its store may have moved the cursor back before this did
                cursor.commit(partition, offsets[partition]);
            }
            isAhead[partition] = false;
            partitions--;
        }
        records = 0;
    }

    /**
     * Forgets what was handled above a truncation, as other records may have these offsets; returns
     * whether there was such.
     */
    private boolean cutOff(int partition) {
        long cut = truncatedTo.applyAsLong(partition);
        boolean isAbove = offsets[partition] > cut;
        if (isAbove) {
            offsets[partition] = cut;
        }
        return isAbove;
    }
}
