package io.firn.shadow;

import java.time.Duration;
import java.util.Optional;

/**
 * How far a partition is copied, at one moment. Immutable; equal when all of it is.
 *
 * @see Shadow
 */
public interface PartitionStatus {

    /** Returns the name of the topic. */
    String topic();

    /** Returns its number. */
    int partition();

    /** Returns what is done with it now. */
    FollowState state();

    /** Returns the offset that the next record here will have. */
    long nextOffset();

    /**
     * Returns the end of what consumers of the source may read, as the source last reported it; −1
     * before.
     */
    long highWatermark();

    /** Returns the first offset of the source, as the source last reported it; −1 before. */
    long sourceLogStart();

    /**
     * Returns for how long this copy has not had everything that the source had: 0 while it has,
     * empty if it never had since it was started.
     */
    Optional<Duration> lagTime();

    /** Returns the id of the broker that leads the partition; −1 if none is known. */
    int leader();

    /** Returns the leader epoch; −1 if the source does not report epochs. */
    int leaderEpoch();

    /** Returns the bytes that were appended since the shadow was started. */
    long appendedBytes();

    /**
     * Returns the last failure, or what is wrong besides; null if there was none since something
     * was answered.
     */
    String lastError();

    /**
     * Returns how many offsets the source has that are missing here; −1 while that is not known.
     */
    default long lagRecords() {
        return highWatermark() < 0 ? -1 : Math.max(0, highWatermark() - nextOffset());
    }
}
