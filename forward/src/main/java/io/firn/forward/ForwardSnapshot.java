package io.firn.forward;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The state of a {@link Forward} at one moment. Immutable; equal when all of it is.
 *
 * @see Forward
 */
public interface ForwardSnapshot {

    /** Returns whether its thread runs. */
    boolean isRunning();

    /** Returns whether it has the positions, and the last transaction was committed. */
    boolean isConnected();

    /** Returns why it has stopped by itself; empty otherwise. */
    Optional<ForwardException> failure();

    /** Returns the last failure that is waited out; empty since a transaction was committed. */
    Optional<String> lastError();

    /** Returns the number of transactions that were committed since the start. */
    long transactions();

    /** Returns the partitions that are forwarded, ordered by topic and number. */
    List<PartitionStatus> partitions();

    /** Returns whether everything that readers see in the store was forwarded. */
    default boolean isCaughtUp() {
        return isConnected() && partitions().stream().allMatch(each -> each.lagRecords() == 0);
    }

    /** How far a partition is forwarded, at one moment. Immutable; equal when all of it is. */
    interface PartitionStatus {

        /** Returns the name of the topic in the store. */
        String topic();

        /** Returns its number. */
        int partition();

        /** Returns the name of the topic in the cluster. */
        String target();

        /** Returns the offset in the store below which everything is forwarded; −1 if unknown. */
        long forwardedTo();

        /** Returns the number of records that the cluster has committed since the start. */
        long forwardedRecords();

        /** Returns the bytes of their keys, values and headers. */
        long forwardedBytes();

        /** Returns how many offsets are not forwarded yet. */
        long lagRecords();

        /** Returns about how many bytes of batches these are. */
        long lagBytes();

        /** Returns the age of the next record; 0 if there is none, empty if it cannot be read. */
        Optional<Duration> lagTime();

        /**
         * Returns the number of offsets that were deleted before they were forwarded, since the
         * start; see {@link OnFull#DROP_OLDEST}.
         */
        long dropped();
    }
}
