package io.firn;

/**
 * Metrics of a partition.
 *
 * @param topic the topic's name
 * @param partition the partition's number
 * @param logStartOffset the earliest offset that can be read
 * @param durableOffset the offset below which everything is durable
 * @param nextOffset the offset that the next record gets
 * @param segments number of segments with records
 * @param bytes bytes of the batches in them
 * @param forces number of forces since open
 * @param rolls number of segments begun since open, without the first
 * @param stalls number of appends since open that had to wait for a block
 * @param poisoned whether it refuses appends because its medium failed
 */
public record PartitionMetrics(
        String topic,
        int partition,
        long logStartOffset,
        long durableOffset,
        long nextOffset,
        int segments,
        long bytes,
        long forces,
        long rolls,
        long stalls,
        boolean poisoned) {}
