package io.firn;

/**
 * A partition in numbers.
 *
 * @param topic its topic's name
 * @param partition its number
 * @param logStartOffset earliest readable
 * @param durableOffset durable below
 * @param nextOffset next to be given
 * @param segments segments with records
 * @param bytes bytes of batches in them
 * @param forces forces since open
 * @param rolls segments begun since open, without the first
 * @param stalls appends that had to wait for a block, since open
 * @param poisoned whether it refuses appends
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
