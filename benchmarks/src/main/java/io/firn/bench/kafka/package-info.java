/** Comparisons of the server with Apache Kafka; servers and clients run in their own processes. */
package io.firn.bench.kafka;
