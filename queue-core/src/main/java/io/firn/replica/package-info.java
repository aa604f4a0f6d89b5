/**
 * Topics that replicate another log: what is appended are that log's batches, and the end can be
 * truncated. Main classes: {@link io.firn.replica.PartitionReplicaAppender} and {@link
 * io.firn.replica.TruncationDuty}, which has the order of a truncation. Knows the log, how it is
 * appended to and its upkeep; readers learn of truncations through {@link
 * io.firn.log.TruncationCounter}.
 */
package io.firn.replica;
