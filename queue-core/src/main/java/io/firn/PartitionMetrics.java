package io.firn;

/** Metrics of a partition at one moment. Immutable; equal when all of them are. */
public interface PartitionMetrics {

    /** Returns the topic's name. */
    String topic();

    /** Returns the partition's number. */
    int partition();

    /** Returns the earliest offset that can be read. */
    long logStartOffset();

    /** Returns the offset below which everything is durable. */
    long durableOffset();

    /** Returns the offset that the next record gets. */
    long nextOffset();

    /** Returns the number of segments with records. */
    int segments();

    /** Returns the bytes of the batches in them. */
    long bytes();

    /** Returns the number of forces since open. */
    long forces();

    /** Returns the number of segments begun since open, without the first. */
    long rolls();

    /** Returns the number of appends since open that had to wait for a block. */
    long stalls();

    /**
     * Returns the number of records that retention has deleted since open although a cursor had not
     * passed them for which it was to wait ({@link TopicOptions#retainUntilRead}).
     */
    long unreadDeleted();

    /**
     * Returns the number of offsets that readers of committed records do not see yet although
     * others do: those from the first transaction on that is not decided, or whose marker could not
     * be appended.
     */
    long undecided();

    /** Returns whether it refuses appends because its medium failed. */
    boolean poisoned();

    /** Returns how far it is compacted; null while its topic is not compacted. */
    default CompactionMetrics compaction() {
        return null;
    }
}
