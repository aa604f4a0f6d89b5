package io.firn.shadow.source;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * A partition, as requests to the source need it, and what is called with the answers, on the
 * thread that polls the {@link SourceClient}. Each request ends in exactly one call.
 */
public interface FollowedPartition {

    /** Returns the name of the topic. */
    String topicName();

    /** Returns its number in the topic. */
    int partition();

    /** Returns the topic's id at the source; with two zeros if the source has no ids. */
    UUID sourceTopicId();

    /** Returns the leader epoch from the metadata; −1 if the source does not tell epochs. */
    int leaderEpoch();

    /** Returns the offset to fetch from. */
    long fetchOffset();

    /**
     * Returns the epoch of the batch before the offset to fetch from; −1 if it is not to be
     * checked.
     */
    int lastFetchedEpoch();

    /** Returns the epoch whose end is asked for. */
    int askedEpoch();

    /**
     * Takes what was fetched.
     *
     * @param records batches as the source stored them; the last one may be incomplete
     * @param isDiverging whether the source has not the batch before the offset; then there are no
     *     records
     * @param lastStableOffset all transactions that begin below it have ended; −1 if it is not told
     */
    void onFetched(
            ByteBuffer records,
            boolean isDiverging,
            long highWatermark,
            long lastStableOffset,
            long logStartOffset);

    /** Takes the largest epoch up to {@link #askedEpoch}, and its end; −1 where there is none. */
    void onEpochEnd(int epoch, long endOffset);

    /** Takes the offset that was asked for by {@link SourceClient#listOffsets}. */
    void onOffset(boolean isEarliest, long offset);

    /** Takes the failure of a request. */
    void onFailed(SourceError error, String message);
}
