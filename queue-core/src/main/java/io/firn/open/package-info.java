/**
 * Opens stores, for writing or to follow another process. {@link io.firn.open.StoreBuilder} has the
 * options, {@link io.firn.open.StoreOpener} the order of the steps, {@link io.firn.open.Follower}
 * the looks of a read-only store. Knows all other packages of the core; none knows it.
 */
package io.firn.open;
