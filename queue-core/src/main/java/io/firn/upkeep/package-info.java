/**
 * The background duties of a partition: marks, seals, checkpoints, retention. {@link
 * io.firn.upkeep.PartitionUpkeep} creates them.
 */
package io.firn.upkeep;
