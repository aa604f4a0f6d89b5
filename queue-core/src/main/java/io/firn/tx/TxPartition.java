package io.firn.tx;

import io.firn.Partition;
import io.firn.append.OpenAppenders;
import io.firn.force.PartitionForcer;
import io.firn.format.Scratch;
import io.firn.log.SegmentedLog;
import io.firn.producer.ProducerAppends;
import io.firn.producer.Producers;
import java.util.UUID;

/**
 * A partition that transactions append to.
 *
 * @param user what its users see
 */
public record TxPartition(
        Partition user,
        SegmentedLog log,
        OpenAppenders appenders,
        PartitionForcer forcer,
        ProducerAppends producerAppends) {

    UUID topicId() {
        return log.topic().id();
    }

    int index() {
        return log.index();
    }

    /** Returns what it knows of producers. */
    Producers producers() {
        return producerAppends.producers();
    }

    /**
     * Appends a batch of a transaction of this process, which has joined the shared appenders.
     *
     * @param batch complete but for its sequence, its offset, its epoch and its CRC
     * @param expectedOffset that the first record has to get, or any
     * @return its base offset
     */
    long append(Scratch batch, long expectedOffset) {
        return appenders.appendShared(
                batch, expectedOffset, producerAppends.inSequence(batch.bytes()));
    }

    /**
     * Appends the marker that ends a transaction (O12).
     *
     * @param marker see {@link io.firn.format.MarkerBatch}
     * @param holds whether readers are held up nevertheless, until they are released
     * @return the marker's offset; −1 when no transaction of the producer is open here
     */
    long appendMarker(byte[] marker, boolean isCommit, int decision, boolean holds) {
        return appenders.appendAnyway(marker, producerAppends.marker(isCommit, decision, holds));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TxPartition partition && partition.log == log;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(log);
    }

    @Override
    public String toString() {
        return log.toString();
    }
}
