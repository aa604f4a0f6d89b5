/** Shows what is left of a store and its tiers when they can perhaps no longer be opened. */
package io.firn.inspect;
