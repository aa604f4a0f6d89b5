package io.firn.tx;

import java.util.UUID;

/**
 * A decision that a partition has to get a marker of.
 *
 * @param producerId whose transaction it is
 * @param epoch the producer epoch that the marker carries
 * @param end the next offset of the partition when the transaction was closed: all of its batches
 *     are below, and those of a later transaction of the same producer are not
 */
record Ending(UUID topicId, int partition, boolean isCommit, long producerId, int epoch, long end) {

    /** Returns whether it says the same of a transaction with the same producer id. */
    boolean isAlike(boolean commit, long id) {
        return isCommit == commit && producerId == id;
    }
}
