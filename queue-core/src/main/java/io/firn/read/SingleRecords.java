package io.firn.read;

import io.firn.format.BatchFormat;
import io.firn.format.RecordFlyweight;
import java.nio.ByteBuffer;

/**
 * A short cut to the records of uncompressed batches of one record, as embedded appends write them:
 * from the header to the record, without the state of a batch that is read in several steps.
 * Whatever is not exactly that, or is damaged, is left to {@link BatchRecords}. Not thread-safe.
 */
final class SingleRecords {
    /** Eight bytes of which the last six are the attributes and the delta of the last offset. */
    private static final int KIND = BatchFormat.ATTRIBUTES - Short.BYTES;

    private static final int KIND_SHIFT = Short.SIZE;

    private final int partition;
    private final RecordFlyweight record;
    private int next;

    /** Creates it for batches of a partition, which it shows by a record. */
    SingleRecords(int partition, RecordFlyweight record) {
        this.partition = partition;
        this.record = record;
    }

    /**
     * Shows the record of the batch at a cursor's place, if it is such a batch. The record must
     * have been wrapped around the memory, which is the segment's and not a copy.
     */
    boolean show(BatchCursor cursor, ByteBuffer memory) {
        int at = cursor.position();
        if (!isSingle(memory, at, cursor.limit(memory))) {
            return false;
        }
        int size = cursor.verify(memory);
        if (size < 0) {
            return false;
        }
        long base = cursor.base();
        next = at + size;
        long time = memory.getLong(at + BatchFormat.BASE_TIMESTAMP);
        record.batch(partition, base, base + 1, time, false, next);
        return record.show(at + BatchFormat.HEADER_LENGTH) == next && cursor.offset() == base;
    }

    private static boolean isSingle(ByteBuffer memory, int at, int end) {
        return end - at >= BatchFormat.HEADER_LENGTH
                && memory.getLong(at + KIND) << KIND_SHIFT == 0;
    }

    /** Returns the position after the batch of the record that was shown. */
    int next() {
        return next;
    }
}
