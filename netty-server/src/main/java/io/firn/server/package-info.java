/** A server that serves a store to unmodified Kafka clients, as a process or embedded. */
package io.firn.server;
