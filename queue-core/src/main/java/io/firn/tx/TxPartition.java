package io.firn.tx;

import io.firn.Partition;
import io.firn.append.OpenAppenders;
import io.firn.force.PartitionForcer;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator.PartitionProducer;
import io.firn.log.SegmentedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A partition that transactions append to.
 *
 * @param user what its users see
 */
public record TxPartition(
        Partition user, SegmentedLog log, OpenAppenders appenders, PartitionForcer forcer) {

    UUID topicId() {
        return log.topic().id();
    }

    int index() {
        return log.index();
    }

    /** Returns the producers that it has state of. */
    List<PartitionProducer> producers() {
        List<PartitionProducer> found = new ArrayList<>();
        log.producers()
                .forEach(
                        (id, epoch, lastSequence, lastSeenMs, decision, openFrom) ->
                                found.add(
                                        new PartitionProducer(
                                                new ProducerIdentity(id, epoch),
                                                lastSequence,
                                                lastSeenMs,
                                                decision,
                                                openFrom)));
        return found;
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
