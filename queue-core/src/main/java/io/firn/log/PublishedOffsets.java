package io.firn.log;

import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The file in which a store publishes the offsets of its partitions for readers in other processes,
 * as far as the writing side of the store knows it. Thread-safe.
 */
public interface PublishedOffsets {
    /**
     * Publishes a log.
     *
     * @param now what there is to publish, at first and whenever the file is made again
     * @return {@link OffsetPublisher#NONE} when there is no space for it, or the store is closed
     */
    OffsetPublisher publish(UUID topic, int partition, Supplier<OffsetPublisher.State> now);

    /** Publishes that topics were created, changed or deleted. */
    void topicsChanged();

    /**
     * Returns whether the term is still this writer's: a load, without a call. The next writer
     * overwrites it before it looks at anything of the store (O22). So what was stored before a
     * call that returns true is seen by that writer's recovery.
     *
     * @return false also when the file was lost or overwritten by another program, so that nothing
     *     is known
     */
    boolean hasTerm();

    /**
     * Returns whether a program has truncated the file, now or earlier. What comes late of stores
     * into it would be taken for a failure of the log.
     */
    boolean wasTruncated();

    /**
     * Looks at the file, and makes another one when readers cannot use it any more. For one thread
     * at a time.
     */
    void check();

    /** The file. */
    Path path();

    /** Ends the term: readers follow marks. Idempotent. */
    void close();

    /**
     * Publishes the offsets of one log for readers in other processes. The log calls each method
     * where its order requires it, after the bytes below are stored or forced; none of them throws
     * because of what is published. {@link #written} is for the thread that has the append turn,
     * {@link #durable} for the holder of the force gate, the others are thread-safe.
     */
    interface OffsetPublisher {
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

        /**
         * Publishes that the next batch begins a segment, at an offset up to which all is durable.
         */
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
}
