/** Moves of segments between tiers. */
package io.firn.move;
