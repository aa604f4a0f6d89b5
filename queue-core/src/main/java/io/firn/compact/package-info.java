/**
 * Compaction: of each key only the latest record stays. Main classes: {@link
 * io.firn.compact.PartitionCompaction}, which decides when, {@link io.firn.compact.Compaction}, and
 * {@link io.firn.compact.ReplacedSegments}, by which recovery finds out what a crash has left of
 * one. Knows the log, its upkeep, moves and recovery.
 */
package io.firn.compact;
