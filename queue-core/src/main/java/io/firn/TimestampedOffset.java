package io.firn;

/**
 * A record's place and time.
 *
 * @param offset its offset
 * @param timestampMs its timestamp, ms since 1970
 */
public record TimestampedOffset(long offset, long timestampMs) {}
