package io.firn.forward.cluster;

import io.firn.forward.cluster.TargetFailure.Kind;
import java.util.Collection;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The cluster, for one thread, but for {@link #abandon}. The order of calls is that of a
 * transactional producer. Each call may wait, and throws a {@link TargetFailure}; after one, only
 * {@link #close} is called.
 */
public interface Target extends AutoCloseable {

    /** Makes new connections. */
    @FunctionalInterface
    interface Factory {
        /**
         * Returns a target that has no connection yet.
         *
         * @param isEnding whether calls that wait shall throw
         */
        Target open(BooleanSupplier isEnding);

        /** Returns one for a configuration. */
        static Factory of(TargetConfig config) {
            return isEnding -> KafkaTarget.open(config, isEnding);
        }
    }

    /**
     * Returns topics by their names.
     *
     * @throws TargetFailure {@link Kind#UNKNOWN_TOPIC} when one does not exist
     */
    Map<String, TargetTopic> topics(Collection<String> names);

    /**
     * Returns the positions in the cluster that exist.
     *
     * @param isStable whether to wait for those that a transaction is about to change
     */
    Map<TargetPartition, Position> positions(
            Collection<TargetPartition> partitions, boolean isStable);

    /** Fences the producers before this one, and ends what they left open. */
    void initTransactions();

    /** Begins a transaction. */
    void begin();

    /** Sends a record, without waiting for the answer. */
    void send(String topic, OutgoingRecord record, String source);

    /** Adds positions to the transaction. */
    void sendPositions(Map<TargetPartition, Position> positions);

    /** Commits the transaction: returns when everything in it is committed. */
    void commit();

    /** Makes calls that wait throw. For any thread. */
    void abandon();

    /** Releases the connections. What is open is aborted by the next producer, or by time. */
    @Override
    void close();
}
