/**
 * The blocks of a partition's segments: reserved, prepared for the writer, and given back when no
 * reader needs them. Main classes: {@link io.firn.block.NextBlock}, the hand-over of a block to the
 * writer, {@link io.firn.block.BlockSupplyDuty} and {@link io.firn.block.DeferredDeleteDuty}. Knows
 * the log, not how it is appended to.
 */
package io.firn.block;
