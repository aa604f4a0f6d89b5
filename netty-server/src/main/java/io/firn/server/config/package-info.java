/** What can be configured, in Kafka's names where Kafka has one, and in Pafka's. */
package io.firn.server.config;
