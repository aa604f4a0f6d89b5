/**
 * Internal: state of a server that is kept in small files and read as immutable snapshots. {@link
 * io.firn.server.state.StateFile} makes a change durable before it is used. Knows neither Netty nor
 * Kafka's classes.
 */
package io.firn.server.state;
