/** The background duties of a partition. */
package io.firn.upkeep;
