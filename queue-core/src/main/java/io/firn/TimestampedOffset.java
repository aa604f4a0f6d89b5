package io.firn;

/**
 * The offset and timestamp of a record.
 *
 * @param offset the offset
 * @param timestampMs the timestamp, in ms since 1970
 */
public record TimestampedOffset(long offset, long timestampMs) {}
