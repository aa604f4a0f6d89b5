/** A partition's log: its segments, published ends, state, producers and indexes. */
package io.firn.log;
