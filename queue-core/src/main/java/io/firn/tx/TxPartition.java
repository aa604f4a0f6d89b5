package io.firn.tx;

import io.firn.Partition;
import io.firn.append.OpenAppenders;
import io.firn.force.PartitionForcer;
import io.firn.log.SegmentedLog;
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
