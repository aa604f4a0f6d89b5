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
     * @return false also when the file was lost or overwritten by somebody else, so that nothing is
     *     known
     */
    boolean hasTerm();

    /**
     * Returns whether somebody has truncated the file, now or earlier. What comes late of stores
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
}
