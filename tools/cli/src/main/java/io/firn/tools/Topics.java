package io.firn.tools;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The topics of a store or of a server. */
interface Topics extends AutoCloseable {

    /**
     * A topic.
     *
     * @param config what differs from the defaults, by Kafka's keys
     */
    record Description(
            String name, String id, List<PartitionState> partitions, Map<String, String> config) {

        /** Returns the sum of a number of all partitions; null if one of them is not known. */
        Long sum(java.util.function.Function<PartitionState, Long> number) {
            long sum = 0;
            for (PartitionState each : partitions) {
                Long value = number.apply(each);
                if (value == null) {
                    return null;
                }
                sum += value;
            }
            return sum;
        }
    }

    /** A partition; null where it is not known. */
    record PartitionState(
            int number, Long start, Long durable, Long next, Long segments, Long bytes) {

        /** Returns the number of offsets that can be read. */
        Long offsets() {
            return start == null || next == null ? null : Long.valueOf(next - start);
        }
    }

    /** Returns all topics, by name. */
    List<Description> all();

    /**
     * Returns one.
     *
     * @throws io.firn.InvalidOptionException when there is none of that name
     */
    Description describe(String name);

    /** Creates a topic. */
    void create(String name, int partitions, Map<String, String> config);

    /**
     * Changes a topic.
     *
     * @param partitions 0 to leave them as they are
     * @param unset keys that get their default again
     */
    void alter(String name, int partitions, Map<String, String> config, Collection<String> unset);

    /** Deletes a topic with its records. */
    void delete(String name);

    @Override
    void close();
}
