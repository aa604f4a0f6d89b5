package io.firn.append;

import io.firn.format.Source;
import io.firn.log.BatchInfo;

/**
 * Decides on the batches that have a producer. It stores those that are to be appended, and knows
 * of each before the next one is looked at. Called by the thread that has the turn.
 */
@FunctionalInterface
public interface Admission {
    /** What {@link #append} returns when a batch is not to be stored. */
    long NOT_WANTED = Long.MIN_VALUE;

    /**
     * Appends a batch, unless it was appended before.
     *
     * @param store stores it
     * @return its base offset, or the one that it got the first time; {@link
     *     io.firn.Appender#BACK_PRESSURED} when it could not be stored now
     */
    long append(Source batch, BatchInfo info, Origin origin, BatchStore store);

    /** Where a batch comes from, which says what is still to be done when it is stored. */
    enum Origin {
        /** Encoded by this process; its CRC is computed when it is stored. */
        COMPOSED,
        /** Encoded by this process, and complete with its CRC. */
        ENCODED,
        /** A client's or another log's: checked, and stored as it is. */
        FOREIGN;

        /** Whether its CRC is right. */
        boolean hasCrc() {
            return this != COMPOSED;
        }

        /** Whether it was encoded by this process; space is prepared for these. */
        boolean isOwn() {
            return this != FOREIGN;
        }
    }

    /** Stores and publishes batches. */
    @FunctionalInterface
    interface BatchStore {
        /** Returns the base offset of the batch, or {@link io.firn.Appender#BACK_PRESSURED}. */
        long store(Source batch, BatchInfo info, Origin origin);
    }
}
