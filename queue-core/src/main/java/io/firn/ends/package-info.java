/**
 * The file in which a writer publishes the ends of its partitions for readers in other processes.
 */
package io.firn.ends;
