package io.firn;

/** How far a partition of a compacted topic is compacted. Immutable; equal when all of it is. */
public interface CompactionMetrics {

    /**
     * Returns the part of the bytes that may be compacted now and were not compacted yet, from 0 to
     * 1; see {@link TopicOptions}.
     */
    double dirtyRatio();

    /** Returns the number of compactions since open. */
    long runs();

    /** Returns the bytes of batches that these have removed. */
    long savedBytes();

    /** Returns when the last of these ended, in ms since 1970; −1 when there was none. */
    long lastRunMs();

    /** Returns what the last of these has done; null when there was none. */
    CompactionResult lastRun();

    /**
     * Returns the error, for example an {@link OutOfMemoryError}, with which the last compaction
     * ended; null when it returned. The store then compacts this partition no more by itself until
     * it is opened again or {@link LogStore#compact} returns, and {@link LogStore#findings} says
     * so.
     */
    Error failure();
}
