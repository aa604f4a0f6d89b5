/**
 * Kafka's own client code beside ours, records to try both with, and a cluster of Kafka's brokers.
 */
package io.firn.kafka;
