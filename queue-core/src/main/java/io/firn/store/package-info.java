/** The store as its users see it: topics, partitions, closing. */
package io.firn.store;
