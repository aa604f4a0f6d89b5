package io.firn;

/**
 * The partition and offset of a record in its topic.
 *
 * @param partition the partition
 * @param offset the offset in the partition
 * @see TopicAppender
 */
public record RecordId(int partition, long offset) {}
