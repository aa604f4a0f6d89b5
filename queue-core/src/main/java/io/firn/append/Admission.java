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
     * @param hasCrc whether its CRC is right; otherwise it is computed when it is stored
     * @param isOwn whether it was encoded by this process
     * @param store stores it
     * @return its base offset, or the one that it got the first time; {@link
     *     io.firn.Appender#BACK_PRESSURED} when it could not be stored now
     */
    long append(Source batch, BatchInfo info, boolean hasCrc, boolean isOwn, Store store);

    /** Stores and publishes batches. */
    @FunctionalInterface
    interface Store {
        /** Returns the base offset of the batch, or {@link io.firn.Appender#BACK_PRESSURED}. */
        long store(Source batch, BatchInfo info, boolean hasCrc, boolean isOwn);
    }
}
