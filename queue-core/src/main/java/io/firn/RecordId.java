package io.firn;

/**
 * Where a record lies in its topic.
 *
 * @param partition the partition
 * @param offset its number there
 */
public record RecordId(int partition, long offset) {}
