/** The log: stores, topics, partitions, appenders, tailers, cursors. */
package io.firn;
