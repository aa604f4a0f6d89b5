package io.firn;

/**
 * What a producer's batches carry.
 *
 * @param id the producer's id
 * @param epoch its epoch, 0 to 32,767: a higher epoch fences all lower ones of the same id
 */
public record ProducerIdentity(long id, int epoch) {}
