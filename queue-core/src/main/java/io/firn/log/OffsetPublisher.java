package io.firn.log;

/**
 * Publishes the offsets of one log for readers in other processes. The log calls each method where
 * its order requires it, after the bytes below are stored or forced; none of them throws because of
 * what is published. {@link #written} is for the thread that has the append turn, {@link #durable}
 * for the holder of the force gate, the others are thread-safe.
 */
public interface OffsetPublisher {
    /** Publishes nothing. */
    OffsetPublisher NONE = new NoPublisher();

    /**
     * Keeps what {@link #written} stores to in place, while an appender is open.
     *
     * @return false when the store is closed: nothing may be appended
     */
    boolean pin();

    /** Removes a pin. */
    void unpin();

    /**
     * Publishes how far the active segment is written; called for each append.
     *
     * @param end as {@link LogSegment#end} returns it
     */
    void written(long end);

    /** Publishes the durable offset; not called after {@link LogState#isGone}. */
    void durable(long offset);

    /** Publishes the log start, which is durable. */
    void logStart(long offset);

    /**
     * Publishes that a segment is written to, of which nothing is written yet.
     *
     * @param before the segment before it, which is complete; null for none
     */
    void begun(LogSegment segment, LogSegment before);

    /** Publishes that segments were sealed, renamed, moved or deleted. */
    void segmentsChanged();

    /** Publishes that the next batch begins a segment, at an offset up to which all is durable. */
    void restarted(long offset, long logStart);

    /** Publishes nothing any more, except for appenders that are still open. */
    void close();

    /** As {@link #close}, and gives back the log's place; no appender is open. */
    void release();

    /**
     * What is published of a log at first.
     *
     * @param base the base offset of the last segment; without one, the next offset
     * @param epoch the epoch of that segment; −1 for none
     * @param end how far that segment is written
     * @param durable the durable offset
     * @param start the log start
     */
    record State(long base, long epoch, long end, long durable, long start) {}

    /** That of a store which publishes nothing. */
    final class NoPublisher implements OffsetPublisher {
        private NoPublisher() {}

        @Override
        public boolean pin() {
            return true;
        }

        @Override
        public void unpin() {}

        @Override
        public void written(long end) {}

        @Override
        public void durable(long offset) {}

        @Override
        public void logStart(long offset) {}

        @Override
        public void begun(LogSegment segment, LogSegment before) {}

        @Override
        public void segmentsChanged() {}

        @Override
        public void restarted(long offset, long logStart) {}

        @Override
        public void close() {}

        @Override
        public void release() {}
    }
}
