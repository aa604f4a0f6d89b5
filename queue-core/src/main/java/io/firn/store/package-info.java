/** The store as its users see it: topics, partitions, cursors, opening and closing. */
package io.firn.store;
