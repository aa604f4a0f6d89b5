/** A server that gives a store to unmodified Kafka clients; to be run or to be embedded. */
package io.firn.server;
