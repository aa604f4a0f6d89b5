/** The configuration of a server, with the names of Kafka's and Pafka's keys. */
package io.firn.server.config;
