/** The server beside Apache Kafka, with Kafka's own tools, each in a process of its own. */
package io.firn.bench.kafka;
