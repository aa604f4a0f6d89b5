/**
 * The configuration of a server, with the names of Kafka's and Pafka's keys. {@link
 * io.firn.server.config.ServerConfig} is a validated configuration; {@link
 * io.firn.server.config.ServerKeys} and {@link io.firn.server.config.TopicKeys} say which keys
 * there are. Knows nothing else of the server.
 */
package io.firn.server.config;
