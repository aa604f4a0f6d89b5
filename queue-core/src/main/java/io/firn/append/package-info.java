/**
 * Appenders, and the one writer of a partition, which stores their batches in turn. Main class:
 * {@link io.firn.append.PartitionWriter}.
 */
package io.firn.append;
