package io.firn.tools;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Who reads: the cursors of a store, or the consumer groups of a server. */
interface Groups extends AutoCloseable {

    /** A partition of a topic. */
    record Place(String topic, int partition) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int byTopic = topic.compareTo(other.topic);
            return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
        }
    }

    /**
     * How far a group is behind in a partition; null where it is not known.
     *
     * @param offset the next record that it reads
     * @param end where readers stop
     * @param time the age of the next record
     * @param member what reads it now
     */
    record Lag(String group, Place place, Long offset, long end, Duration time, String member) {
        /** Returns the number of offsets that are left to read. */
        Long records() {
            return offset == null ? null : Long.valueOf(Math.max(0, end - offset));
        }
    }

    /** Returns the names of all groups, sorted. */
    List<String> names();

    /**
     * Returns the lag of a group in each partition where it has a position; empty if it has none.
     */
    List<Lag> lags(String group);

    /**
     * Returns what a server says of a group's members, such as {@code Empty}; null for a cursor.
     */
    String state(String group);

    /** Returns the offsets of a topic, and the number of its partitions. */
    Ends ends(String topic);

    /** Moves a group, durably. */
    void reset(String group, Map<Place, Long> offsets);

    @Override
    void close();

    /** The offsets of a topic. */
    interface Ends extends Position.Offsets {
        /** Returns the number of partitions. */
        int partitions();
    }
}
