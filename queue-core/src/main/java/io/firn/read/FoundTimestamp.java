package io.firn.read;

import io.firn.PartitionReader.TimestampedOffset;

/** What a search by timestamp has found. */
public record FoundTimestamp(long offset, long timestampMs) implements TimestampedOffset {}
