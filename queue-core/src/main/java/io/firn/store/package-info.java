/** The store as its users see it: topics, partitions, opening and closing. */
package io.firn.store;
