/** Shows the state of a store and its tiers, also when they can no longer be opened. */
package io.firn.inspect;
