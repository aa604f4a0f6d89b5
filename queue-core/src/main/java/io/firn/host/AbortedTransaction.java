package io.firn.host;

/**
 * What an aborted transaction has left in a partition.
 *
 * @param producerId the producer whose batches with the transactional attribute are aborted
 * @param firstOffset the offset of its first batch in the transaction
 * @param lastOffset the offset of the marker that ends it
 * @see HostedStore
 */
public record AbortedTransaction(long producerId, long firstOffset, long lastOffset) {}
