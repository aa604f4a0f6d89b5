/** Kafka's own client code beside ours, and records to try both with. */
package io.firn.kafka;
