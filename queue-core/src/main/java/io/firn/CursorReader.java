package io.firn;

import java.time.Duration;
import java.util.Optional;

/** The positions of a {@link Cursor}, for those that do not change them. Thread-safe. */
public interface CursorReader {

    /** Returns the cursor's name. */
    String name();

    /**
     * Returns the offset of the next record to be read; {@code −1} when nothing was committed, or
     * the position was lost because the cursor's file is damaged. In a read-only store it is read
     * from the file at each call, and is what the writing process persisted last.
     */
    long offset(int partition);

    /**
     * How far a cursor is behind the visible end of a partition, at one moment. Immutable; equal
     * when all of it is.
     */
    interface CursorMetrics {

        /** Returns the cursor's name. */
        String cursor();

        /** Returns the partition's number. */
        int partition();

        /**
         * Returns the cursor's position in the partition; −1 when it has none and is listed because
         * {@link TopicOptions#retainUntilRead} names it.
         */
        long offset();

        /**
         * Returns the number of offsets from the next record to the visible end, without those
         * below the log start; 0 when no record follows the cursor, though compaction may have left
         * offsets without records there.
         */
        long lagRecords();

        /**
         * Returns the bytes of their batches; in the cursor's segment it is estimated as if all
         * records had the same size.
         */
        long lagBytes();

        /**
         * Returns the age, by its timestamp and the store's clock, of the next record; 0 when there
         * is none, empty when it cannot be read.
         */
        Optional<Duration> lagTime();
    }
}
