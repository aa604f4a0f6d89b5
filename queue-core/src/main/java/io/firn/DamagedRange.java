package io.firn;

/**
 * A range of offsets that were durable and cannot be read because they are corrupted.
 *
 * @param fromOffset the first offset of the range
 * @param toOffset the offset after the last one of the range
 * @param reason what was found
 */
public record DamagedRange(long fromOffset, long toOffset, String reason) {}
