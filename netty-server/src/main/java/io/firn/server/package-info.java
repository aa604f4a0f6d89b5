/**
 * A server that serves a store to unmodified Kafka clients, as a process or inside an application.
 * {@link io.firn.server.FirnServer} starts and ends one; {@link io.firn.server.ServerMain} runs it
 * as a process, with the storage that its configuration describes. This package connects all
 * others: none of them uses it.
 */
package io.firn.server;
