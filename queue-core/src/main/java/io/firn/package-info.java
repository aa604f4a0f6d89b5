/** The public API of the log: stores, topics, partitions, appenders, tailers, cursors. */
package io.firn;
