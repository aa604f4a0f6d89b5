package io.firn;

/**
 * Offsets that were durable and cannot be read.
 *
 * @param fromOffset the first
 * @param toOffset behind the last
 * @param reason what was found
 */
public record DamagedRange(long fromOffset, long toOffset, String reason) {}
