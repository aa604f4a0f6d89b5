/**
 * Moves of segments between tiers: copy, compare, publish, replace. Main class: {@link
 * io.firn.move.SegmentMove}.
 */
package io.firn.move;
