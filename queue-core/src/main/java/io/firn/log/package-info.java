/** A partition's log: its segments, published offsets, state, producers and indexes. */
package io.firn.log;
